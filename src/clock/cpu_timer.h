/* SPDX-License-Identifier: MIT
 *
 * The CPU clock of each process, and a timer on it. The timer is armed all the time: far ahead while the process is
 * looked at on every tick (armed, it makes reading the clock cheap), at once when it has gone quiet, so that its next
 * use of a CPU wakes us. A timer on another process's CPU clock costs nothing while that process sleeps. */
#ifndef CLOCK_CPU_TIMER_H
#define CLOCK_CPU_TIMER_H

#include "clock/state.h"

#include <signal.h>

/* The signal that an alarm sends to this process. */
#define CPU_TIMER_SIGNAL SIGRTMIN

/* Sets up the clock of PROCESS and its alarm, far ahead. Without an alarm (too many timers) the process is always
 * looked at. */
void cpu_timer_install(struct process *process);

/* Removes the alarm. */
void cpu_timer_remove(struct process *process);

/* Rings only in a very long time; rings at the next use of a CPU. */
void cpu_timer_set_far(struct process *process);
void cpu_timer_set_near(struct process *process);

#endif
