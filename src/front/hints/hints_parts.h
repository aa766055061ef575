/* SPDX-License-Identifier: MIT
 *
 * Collects hints, by their subject. */
#ifndef HINTS_HINTS_PARTS_H
#define HINTS_HINTS_PARTS_H

#include "profile/profile/writer.h"

#include <stddef.h>
#include <stdio.h>

struct objects;

enum { ADVICE_SAID = 3 };

struct advice_hint {
    double gain;
    char *text;
};

/* Hints of which only the few with the largest gain are printed, because readers ignore long lists. Zero it before
 * the first use. */
struct advice {
    struct advice_hint *items;
    size_t count, room;
};

void advice_fini(struct advice *advice);

/* Adds a hint, which may contain names of strangers, unless it was added before. GAIN: percentage of the profile that
 * the hint makes known or more exact. If memory runs out, drops the hint. */
void advice_add(struct advice *advice, double gain, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Prints the hints with the largest gains to STREAM, the largest first, at most ADVICE_SAID. */
void advice_say(struct advice *advice, FILE *stream);

/* Adds hints about code of PROFILE without names, or without lines if rows are BY line. OBJECTS belong to the profile.
 * Prints to STREAM which lines are incomplete. */
void hints_code(struct advice *advice, const struct profile *profile, const struct objects *objects, enum report_by by,
                FILE *stream);

/* Adds hints on how to sample, or to distinguish, more of the time than SCREEN shows. */
void hints_sampling(struct advice *advice, const struct profile *profile, const struct report_options *screen);

/* Adds a hint if COMMAND (or NULL), which ends with NULL, is a launcher and PROFILE does not contain all of its ranks:
 * the others ran on other machines. */
void hints_ranks(struct advice *advice, char *const *command, const struct profile *profile);

#endif
