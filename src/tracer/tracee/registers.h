/* SPDX-License-Identifier: MIT
 *
 * Caches the registers of the one thread that is stopped now: reads them once for each stop. */
#ifndef TRACEE_REGISTERS_H
#define TRACEE_REGISTERS_H

#include "common/arch/arch.h"

#include <sys/types.h>

/* Zero it before the first use, and again after the thread may have run. */
struct stopped {
    struct arch_registers registers;
    pid_t tid; /* the thread that has these registers; 0: not read yet */
};

/* Sets *REGISTERS to the registers of stopped thread TID; they are valid until it is resumed. Returns 0, -ENOTSUP if
 * their kind is unknown, or another -errno. */
int stopped_registers(struct stopped *stopped, pid_t tid, const struct arch_registers **registers);

/* Changes the registers of stopped thread TID. Returns 0 or -errno. */
int stopped_set_registers(struct stopped *stopped, pid_t tid, const struct arch_registers *registers);

#endif
