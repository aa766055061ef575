/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of this folder that restart calls. */
#ifndef ARCH_ARM64_RESTART_H
#define ARCH_ARM64_RESTART_H

#include "common/arch/registers.h"

/* Returns true if a stop at REGISTERS finds a call that may have to be entered again. */
bool restart_looks_ended(const struct arch_registers *registers);

/* Marks REGISTERS so that no later stop finds a call there. */
void restart_mark_left(struct arch_registers *registers);

#endif
