/* SPDX-License-Identifier: MIT
 *
 * The CPU clock of each process, and a timer on it. The timer is always armed, because that makes reading the clock
 * cheap. While each tick looks at the process, the timer expires far in the future. When the process is quiet, it
 * expires at the next use of a CPU, which wakes us. A timer on another process's CPU clock costs nothing while that
 * process sleeps. */
#ifndef CLOCK_CPU_TIMER_H
#define CLOCK_CPU_TIMER_H

#include <signal.h>

struct process;

/* The signal that the timer sends to this process. */
#define CPU_TIMER_SIGNAL SIGRTMIN

/* Sets up the clock of PROCESS, and its timer, far in the future. Without a timer (too many exist), each tick looks at
 * the process. */
void cpu_timer_install(struct process *process);

/* Removes the alarm. */
void cpu_timer_remove(struct process *process);

/* Let the timer expire in a very long time, or at the next use of a CPU. */
void cpu_timer_set_far(struct process *process);
void cpu_timer_set_near(struct process *process);

#endif
