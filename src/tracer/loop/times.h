/* SPDX-License-Identifier: MIT
 *
 * Finds out how much of the samples is system time outside of system calls. */
#ifndef LOOP_TIMES_H
#define LOOP_TIMES_H

#include "common/arch/arch.h"

#include <stdint.h>

struct message_capture;
struct process;
struct thread;
struct tracer;

/* Begins to count for the present image of PROCESS, or begins again after sampling was off. Earlier CPU time does not
 * count. */
void times_begin(struct tracer *tracer, struct process *process);

/* The same for the process of THREAD, its only one, which has not run yet. */
void times_begin_forked(struct tracer *tracer, struct thread *thread);

/* The image of PROCESS is about to end, or PROCESS has ended and is not reaped. Returns its number of faults if the
 * image was short, otherwise 0. */
uint64_t times_faults(const struct process *process);

/* The image of PROCESS, which may have ended, ends. FAULTS: from times_faults. */
void times_end(struct tracer *tracer, const struct process *process, uint64_t faults);

/* Was THREAD, stopped with REGISTERS, in a page fault until the stop? SIG: the signal that is being delivered, or 0. */
enum arch_fault times_fault(struct tracer *tracer, struct thread *thread, const struct arch_registers *registers,
                            int sig);

/* MESSAGE, with syscall and weight_ns set, samples stopped THREAD. Returns the part of the weight that page faults
 * took, in nanoseconds, if the stop did not show whether the thread was in one. */
uint64_t times_bill(struct tracer *tracer, struct thread *thread, const struct message_capture *message);

/* Reads the user and system time of a process for which that is due. Do not call it while the process is stopped. */
void times_look(struct tracer *tracer);

#endif
