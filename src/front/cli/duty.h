/* SPDX-License-Identifier: MIT
 *
 * --duty: profiles running processes for a part of each period. */
#ifndef CLI_DUTY_H
#define CLI_DUTY_H

#include "front/cli/options.h"

/* Runs a session by OPTIONS and returns the exit status. */
typedef int duty_run(const struct options *options, char *title, size_t title_size);

/* Runs RUN, with a copy of OPTIONS and the other arguments, in a process of its own for each period, until a signal
 * asks for the end or the time of --duration is over. Each profiles the processes that are found then. Returns an exit
 * status, or -errno with ERROR set. */
int duty_repeat(const struct options *options, duty_run *run, char *title, size_t title_size, struct error *error);

#endif
