/* SPDX-License-Identifier: MIT
 *
 * Hints by what they are about. */
#ifndef CLI_HINTS_PARTS_H
#define CLI_HINTS_PARTS_H

#include "cli/advice.h"
#include "cli/hints.h"
#include "record/object.h"

/* Adds what helps code of PROFILE, whose OBJECTS these are, that has no names, or no lines where rows are BY line.
 * Prints to STREAM which lines are incomplete. */
void hints_code(struct advice *advice, const struct profile *profile, const struct objects *objects, enum report_by by,
                FILE *stream);

/* Adds how more of the time would be sampled, or be told apart, than SCREEN shows. */
void hints_sampling(struct advice *advice, const struct profile *profile, const struct report_options *screen);

#endif
