/* SPDX-License-Identifier: MIT
 *
 * Recovers the first argument of a system call after the result has replaced it in its register. */
#ifndef TRACEE_ARGUMENT_H
#define TRACEE_ARGUMENT_H

#include <sys/types.h>

struct arch_registers;

/* Adds that argument to REGISTERS of stopped thread TID, if arch_lacks_argument and the kernel shows it. */
void argument_add(pid_t tid, struct arch_registers *registers);

#endif
