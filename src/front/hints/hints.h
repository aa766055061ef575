/* SPDX-License-Identifier: MIT
 *
 * Facts that a reader of the profile should know, and suggestions. */
#ifndef HINTS_HINTS_H
#define HINTS_HINTS_H

#include <stdio.h>

struct profile;
struct report_options;
struct session;
struct session_options;

/* Prints a line for each event of the session that matters for PROFILE, and the hints with the largest gains. SCREEN:
 * the form that the reader sees. */
void hints_print(const struct session *session, const struct profile *profile, const struct report_options *screen,
                 FILE *stream);

/* Prints only what matters for the stacks themselves. */
void hints_stacks(const struct session *session, const struct profile *profile, FILE *stream);

/* Prints the hints that also apply to a stored PROFILE. */
void hints_samples(const struct profile *profile, const struct report_options *screen, FILE *stream);

/* Prints a hint to STREAM if the command in OPTIONS is a launcher such as srun, whose ranks are not its descendants.
 * The profile would not contain the ranks; the hint shows what to type instead. */
void hints_remote_launcher(const struct session_options *options, FILE *stream);

#endif
