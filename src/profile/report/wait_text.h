/* SPDX-License-Identifier: MIT
 *
 * Describes in one line what a thread waits for. Pure. */
#ifndef REPORT_WAIT_TEXT_H
#define REPORT_WAIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

struct wait_frame {
    const char *name;
    uint32_t module;
    bool of_program; /* its module is the program, not a library */
};

/* A stack: frame() returns frame NUMBER of COUNT, leaf first. */
struct wait_stack {
    struct wait_frame (*frame)(const struct wait_stack *stack, uint32_t number);
    const void *of, *sample; /* for frame() */
    uint32_t count;
};

/* Appends what a thread with STACK waits for: the system call with the number CALL (or an enum wait_place), the first
 * function above it outside of libraries, and the library function that this function called:
 * "[futex] main: pthread_join". Omits parts that are unknown, or that have the name of the system call. */
void wait_text_put(struct buffer *out, const struct wait_stack *stack, int32_t call);

#endif
