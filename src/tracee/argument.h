/* SPDX-License-Identifier: MIT
 *
 * The first argument of a system call that has its result, where that took the argument's place. */
#ifndef TRACEE_ARGUMENT_H
#define TRACEE_ARGUMENT_H

#include "arch/arch.h"

#include <sys/types.h>

/* Adds it to REGISTERS of stopped thread TID, if arch_lacks_argument and the kernel tells it. */
void argument_add(pid_t tid, struct arch_registers *registers);

#endif
