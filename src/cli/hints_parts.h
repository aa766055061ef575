/* SPDX-License-Identifier: MIT
 *
 * Hints by what they are about. */
#ifndef CLI_HINTS_PARTS_H
#define CLI_HINTS_PARTS_H

#include "cli/advice.h"
#include "cli/hints.h"
#include "record/object.h"

/* Adds hints for code of PROFILE without names, or without lines if rows are BY line. OBJECTS are the profile's.
 * Prints to STREAM which lines are incomplete. */
void hints_code(struct advice *advice, const struct profile *profile, const struct objects *objects, enum report_by by,
                FILE *stream);

/* Adds hints on how to sample more of the time, or distinguish more of it, than SCREEN shows. */
void hints_sampling(struct advice *advice, const struct profile *profile, const struct report_options *screen);

/* Adds a hint if COMMAND (or NULL), which ends with NULL, is a launcher whose ranks are not all in PROFILE: they ran on
 * other machines. */
void hints_ranks(struct advice *advice, char *const *command, const struct profile *profile);

#endif
