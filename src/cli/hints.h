/* SPDX-License-Identifier: MIT
 *
 * What a reader of the profile should know or could do next. */
#ifndef CLI_HINTS_H
#define CLI_HINTS_H

#include "profile/writer.h"
#include "session/session.h"

#include <stdio.h>

/* Prints a line for each event of the session that a reader of PROFILE should know, and the hints that gain most.
 * SCREEN: what the reader sees. */
void hints_print(const struct session *session, const struct profile *profile, const struct report_options *screen,
                 FILE *stream);

/* Prints the hints that are also true of a stored PROFILE. */
void hints_samples(const struct profile *profile, const struct report_options *screen, FILE *stream);

/* If the command of OPTIONS is a launcher such as srun, whose ranks are not its descendants: prints to STREAM that the
 * profile will have nothing of them, and what to type instead. */
void hints_remote_launcher(const struct session_options *options, FILE *stream);

#endif
