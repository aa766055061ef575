/* SPDX-License-Identifier: MIT
 *
 * The registers of a thread, as they are sent. What they mean is known by arch/ alone. */
#ifndef WIRE_REGISTERS_H
#define WIRE_REGISTERS_H

#include <sys/user.h>

struct arch_registers {
    struct user_regs_struct user; /* as NT_PRSTATUS gives them */
};

#endif
