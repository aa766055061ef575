/* SPDX-License-Identifier: MIT
 *
 * Internal interface between the files of calls/. */
#ifndef CALLS_CALLS_PARTS_H
#define CALLS_CALLS_PARTS_H

#include "common/arch/arch.h"

struct calls;
struct process;
struct thread;

/* A call to serve. */
struct calls_request {
    uint64_t call; /* a number of enum gate_call; any other number returns -ENOSYS */
    uint64_t arguments[ARCH_ARGUMENTS];
    uint64_t pc;    /* where it was made */
    bool is_compat; /* made by 32-bit code, with 32-bit structs and pointers */
};

/* Serves REQUEST of THREAD. Returns what the call returns, or -errno. */
int64_t calls_serve(struct calls *calls, struct thread *thread, const struct calls_request *request);

/* The state of PROCESS has changed: adds it to the active processes, or removes it. */
void calls_recount(struct calls *calls, struct process *process);

/* Returns the number of ticks on PROCESS's clock so far. */
uint64_t calls_ticks(const struct calls *calls, const struct process *process);

#endif
