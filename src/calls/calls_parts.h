/* SPDX-License-Identifier: MIT
 *
 * What the parts of serving the calls share among themselves. */
#ifndef CALLS_CALLS_PARTS_H
#define CALLS_CALLS_PARTS_H

#include "calls/calls.h"

/* Serves CALL (of enum gate_call, or another: -ENOSYS) with ARGUMENTS, made at PC by THREAD. Returns what the call
 * returns, or -errno. */
int64_t calls_serve(struct calls *calls, struct thread *thread, uint64_t call,
                    const uint64_t arguments[static ARCH_ARGUMENTS], uint64_t pc);

/* PROCESS's state has changed: counts it among the active ones, or not any more. */
void calls_recount(struct calls *calls, struct process *process);

/* The ticks of PROCESS's clock so far. */
uint64_t calls_ticks(const struct calls *calls, const struct process *process);

#endif
