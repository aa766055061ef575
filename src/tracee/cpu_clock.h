/* SPDX-License-Identifier: MIT
 *
 * The CPU clock of a process. */
#ifndef TRACEE_CPU_CLOCK_H
#define TRACEE_CPU_CLOCK_H

#include "tracee/table.h"

/* Finds the clock of PROCESS. Returns false if it has gone. */
bool cpu_clock_find(struct process *process);

/* The CPU time of PROCESS, all of its threads and those that ended, in ns. Lags by up to a scheduler tick while it
 * runs. Readable until the process is reaped; 0 when it cannot be read. */
uint64_t cpu_clock_ns(const struct process *process);

#endif
