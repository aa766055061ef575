/* SPDX-License-Identifier: MIT
 *
 * What the parts of serving the calls share among themselves. */
#ifndef CALLS_CALLS_PARTS_H
#define CALLS_CALLS_PARTS_H

#include "calls/calls.h"

/* A call to serve. */
struct calls_request {
    uint64_t call; /* of enum gate_call, or another: -ENOSYS */
    uint64_t arguments[ARCH_ARGUMENTS];
    uint64_t pc;    /* where it was made */
    bool is_compat; /* by 32-bit code: with structs and pointers of that */
};

/* Serves REQUEST of THREAD. Returns what the call returns, or -errno. */
int64_t calls_serve(struct calls *calls, struct thread *thread, const struct calls_request *request);

/* PROCESS's state has changed: adds it to the active processes, or removes it. */
void calls_recount(struct calls *calls, struct process *process);

/* Returns the ticks of PROCESS's clock so far. */
uint64_t calls_ticks(const struct calls *calls, const struct process *process);

#endif
