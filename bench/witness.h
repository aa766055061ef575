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

/* Data that were read from a process. */
struct witness;

/* Reads a process with a stopped thread. NULL if this fails. */
struct witness *witness_new(pid_t pid);

/* NULL is allowed. */
void witness_free(struct witness *witness);

/* False if its maps have changed since WITNESS was made. */
bool witness_is_current(const struct witness *witness);
pid_t witness_pid(const struct witness *witness);

/* Unwinds the stack of its thread TID, which this process has stopped with ptrace. False if it has gone. */
bool witness_unwind(struct witness *witness, pid_t tid, struct witness_stacks *stacks);

/* True if the code at PC has an unwind table. */
bool witness_has_table(const struct witness *witness, uint64_t pc);

/* Writes "MODULE+0xOFFSET NAME" of the function at PC into TEXT. CALL: PC is a return address. */
void witness_name(const struct witness *witness, uint64_t pc, bool call, char *text, size_t size);

#endif
