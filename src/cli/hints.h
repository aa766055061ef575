/* SPDX-License-Identifier: MIT
 *
 * What a reader of the profile should know or could do next. */
#ifndef CLI_HINTS_H
#define CLI_HINTS_H

#include "profile/writer.h"
#include "session/session.h"

#include <stdio.h>

/* Prints a line for each thing worth saying about PROFILE and how it came to be. */
void hints_print(const struct session *session, const struct profile *profile, enum report_by by, FILE *stream);

/* Prints those that are also true of a stored PROFILE: how to have less time without samples, and more samples. */
void hints_samples(const struct profile *profile, FILE *stream);

#endif
