/* SPDX-License-Identifier: MIT
 *
 * Limits the system calls of a process to a list. */
#ifndef CONFINE_CALLS_H
#define CONFINE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum confine_action {
    CONFINE_ALLOW,
    CONFINE_REFUSE, /* fails with EACCES */
    CONFINE_LACK,   /* fails with ENOSYS, so that the C library uses an older call */
    CONFINE_TRAP,   /* raises SIGSYS, whose handler may answer the call */
    CONFINE_KILL,   /* ends the process */
};

/* A system call, and what happens to it if (argument & mask) == value. The kernel ends the process at any other call.
 * With a MASK of 0, and VALUE 0, the arguments do not matter. A call may be in the list several times, for several
 * values. Only the lower half of an argument is compared, which is all that the kernel reads of flags and numbers. */
struct confine_call {
    int number; /* SYS_... */
    enum confine_action action;
    uint32_t argument; /* 0 to 5 */
    uint32_t mask, value;
};

#define CONFINE_CALLS_MOST 128

/* Members of a call: ARGUMENT is VALUE, or has none of BITS. */
#define CONFINE_IF(argument_, value_) .argument = (argument_), .mask = UINT32_MAX, .value = (uint32_t)(value_)
#define CONFINE_WITHOUT(argument_, bits_) .argument = (argument_), .mask = (uint32_t)(bits_)

/* Limits this thread, and those that it starts, to the COUNT calls of LIST, in addition to earlier filters. It cannot
 * be undone, and needs no rights. Returns 0, or -errno with nothing changed but no_new_privs: -EINVAL if the kernel has
 * no filters or COUNT is above CONFINE_CALLS_MOST, and others if a sandbox forbids it. */
int confine_calls(const struct confine_call *list, size_t count);

/* The same, but OTHERWISE happens to all other calls. If that is not CONFINE_KILL, calls of 32-bit and x32 programs
 * fail with ENOSYS. */
int confine_calls_else(const struct confine_call *list, size_t count, enum confine_action otherwise);

/* Returns true if a filter was in force here before the first one of our own, as in a container. */
bool confine_was_filtered(void);

/* Returns true if no_new_privs was set before we did it. */
bool confine_had_no_new_privileges(void);

#endif
