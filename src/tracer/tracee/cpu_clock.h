/* SPDX-License-Identifier: MIT
 *
 * The CPU clock of a process. */
#ifndef TRACEE_CPU_CLOCK_H
#define TRACEE_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_times;
struct process;

/* Finds the clock of PROCESS. Returns false if the process is gone. */
bool cpu_clock_find(struct process *process);

/* Returns the CPU time of PROCESS in nanoseconds, for all threads including ended ones. Lags by up to a scheduler
 * tick while it runs. Readable until the process is reaped; afterwards, the time at its end if tracee/ending.h has it;
 * 0 if it cannot be read. */
uint64_t cpu_clock_ns(const struct process *process);

/* Sets *TIMES to the CPU times of PROCESS, for the same threads. All are 0 if they cannot be read. */
void cpu_clock_read(const struct process *process, struct cpu_times *times);

#endif
