/* SPDX-License-Identifier: MIT
 *
 * The stack of a sample as every format shows it. Inlined calls are frames of their own. The thread's system call is
 * the leaf. A stack that was cut off has a root frame that says so. */
#ifndef PROFILE_STACK_H
#define PROFILE_STACK_H

#include "profile/profile/label.h"

#include <stddef.h>

struct stack_frame {
    const char *name, *module; /* unescaped */
    uint32_t function;         /* index, or PROFILE_NONE for a system call and for a missing root */
    uint32_t location;         /* index, or PROFILE_NONE */
    const char *file;          /* source file, or NULL */
    uint32_t line;             /* 0: not known */
};

/* Zero it before the first use. It can be used again for each sample. */
struct stack {
    struct stack_frame *items; /* leaf first */
    size_t count, room;
    struct label syscall;
};

/* Fills STACK with SAMPLE of PROFILE. Its own texts are valid until the next call. Returns false if memory runs out. */
bool stack_of(struct stack *stack, const struct profile *profile, const struct profile_sample *sample);

void stack_fini(struct stack *stack);

#endif
