/* SPDX-License-Identifier: MIT
 *
 * Why the kernel refuses, found out by looking, and what to do about it. */
#ifndef FRONT_REFUSAL_H
#define FRONT_REFUSAL_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* Sets ERROR to why PID, which may have ended, could not be traced, given the tracer's -errno RESULT, and to what to do
 * about it. WHAT: "cannot attach to process 7". Returns RESULT. */
int refusal_explain(pid_t pid, const char *what, int result, struct error *error);

/* Looks whether the kernel lets one process reach another's memory, which everything needs but --stacks=none with
 * --calls=off. Returns 0, or -errno with ERROR set. */
int refusal_check_memory(struct error *error);

#endif
