/* SPDX-License-Identifier: MIT
 *
 * The registers of the one thread that is stopped now, read once a stop. */
#ifndef TRACEE_REGISTERS_H
#define TRACEE_REGISTERS_H

#include "arch/arch.h"

#include <sys/types.h>

/* Zero it before the first use; so again when the thread may have gone on. */
struct stopped {
    struct arch_registers registers;
    pid_t tid; /* whose these are; 0: not read yet */
};

/* Sets *REGISTERS to those of TID, which is stopped; they are valid until it is resumed. Returns 0, -ENOTSUP if they
 * are of no kind that is known, or another -errno. */
int stopped_registers(struct stopped *stopped, pid_t tid, const struct arch_registers **registers);

/* Changes the registers of TID, which is stopped. Returns 0 or -errno. */
int stopped_set_registers(struct stopped *stopped, pid_t tid, const struct arch_registers *registers);

#endif
