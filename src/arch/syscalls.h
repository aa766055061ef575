/* SPDX-License-Identifier: MIT
 *
 * The names of system calls. Pure. */
#ifndef ARCH_SYSCALLS_H
#define ARCH_SYSCALLS_H

#include <stdint.h>

/* The name of system call NUMBER, or NULL for one that is not known. */
const char *arch_syscall_name(int32_t number);

/* The number of that name, or -1. */
int32_t arch_syscall_number(const char *name);

#endif
