/* SPDX-License-Identifier: MIT
 *
 * A finished profile in the form that the live view shows: a record whose places all have names, and its times. */
#ifndef TOP_LOADED_H
#define TOP_LOADED_H

#include "front/record/record.h"
#include "front/top/live.h"
#include "front/top/places.h"

#include <stdbool.h>

struct profile;

/* The record has only what a board reads: threads, images, call sites and samples. All times are both recent and of the
 * whole. */
struct loaded {
    struct record record;
    struct live_picture picture;
    struct places places;
};

/* Fills LOADED, which may be uninitialised, with the times of PROFILE. FULL_NAMES: names are not shortened. Returns
 * false if memory runs out. Free it in either case. */
bool loaded_make(struct loaded *loaded, const struct profile *profile, bool full_names);
void loaded_free(struct loaded *loaded);

#endif
