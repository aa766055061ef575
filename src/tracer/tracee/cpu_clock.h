/* SPDX-License-Identifier: MIT
 *
 * The CPU clock of a process. */
#ifndef TRACEE_CPU_CLOCK_H
#define TRACEE_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct process;

/* Finds the clock of PROCESS. Returns false if the process is gone. */
bool cpu_clock_find(struct process *process);

/* Returns the CPU time of PROCESS in nanoseconds, for all threads including ended ones. Lags by up to a scheduler
 * tick while it runs. Readable until the process is reaped; 0 if it cannot be read. */
uint64_t cpu_clock_ns(const struct process *process);

/* Reads the user and system time of PROCESS, which has ended and is not reaped, and of the children that it has waited
 * for, in nanoseconds. Returns false if that fails. */
bool cpu_clock_ended(const struct process *process, uint64_t *user_ns, uint64_t *system_ns);

#endif
