/* SPDX-License-Identifier: MIT
 *
 * The distinct stacks of a profile, each once, for formats that do not tell threads apart: what they do for
 * each stack they need not do for each thread that was seen in it. */
#ifndef PROFILE_DISTINCT_H
#define PROFILE_DISTINCT_H

#include "base/hash.h"
#include "base/texts.h"
#include "profile/profile.h"

#include <stddef.h>
#include <stdint.h>

struct distinct {
    struct profile_sample *items; /* in the order of their first samples; the thread is that of the first */
    size_t count, room;
    struct hash index;
    const struct profile *profile;
    uint32_t *numbers;  /* of each sample of the profile, the number of its item */
    struct texts comms; /* of the processes */
    uint32_t *kinds;    /* of each process: equal for those of one name on one side of a comparison */
};

/* Fills DISTINCT, which need not be initialised, with the samples of PROFILE; those that differ in nothing but the
 * thread, of processes of the same name, are added up. Those of the base of a comparison stay apart. Returns 0, or
 * -ENOMEM with DISTINCT empty. */
int distinct_init(struct distinct *distinct, const struct profile *profile);
void distinct_fini(struct distinct *distinct);

#endif
