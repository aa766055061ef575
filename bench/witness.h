/* SPDX-License-Identifier: MIT */
/* One stopped thread, and its stack as three unwinders see it: ours, from a copy; libunwind-ptrace's stock
 * accessors, which look at the thread itself; and elfutils' libdwfl, as eu-stack uses it. */
#ifndef WITNESS_H
#define WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { WITNESS_FRAMES = 512, WITNESS_STACK = 65536 };

struct witness_stack {
    uint64_t pcs[WITNESS_FRAMES];
    size_t count;
    bool whole;      /* it ends in a function that, by the unwind tables or as the program's entry, has no caller */
    const char *end; /* what the unwinder itself says of its end; "" if nothing */
};

struct witness_stacks {
    struct witness_stack ours, stock, elfutils;
};

/* What has been read of one process. */
struct witness;

/* A process of which a thread is stopped. NULL if it cannot be looked at. */
struct witness *witness_new(pid_t pid);

/* NULL is allowed. */
void witness_free(struct witness *witness);

/* False if its maps are not any more what they were when WITNESS was made. */
bool witness_is_current(const struct witness *witness);
pid_t witness_pid(const struct witness *witness);

/* Unwinds the stack of its thread TID, which this process has stopped with ptrace. False if it has gone. */
bool witness_unwind(struct witness *witness, pid_t tid, struct witness_stacks *stacks);

/* True if there is an unwind table for the code at PC. */
bool witness_has_table(const struct witness *witness, uint64_t pc);

/* MODULE+0xOFFSET NAME of the function at PC, which is where a call returns to if CALL, into TEXT. */
void witness_name(const struct witness *witness, uint64_t pc, bool call, char *text, size_t size);

#endif
