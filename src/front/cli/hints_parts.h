/* SPDX-License-Identifier: MIT
 *
 * Hints, by their subject. */
#ifndef CLI_HINTS_PARTS_H
#define CLI_HINTS_PARTS_H

#include "front/cli/advice.h"
#include "front/cli/hints.h"
#include "front/record/object.h"

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
