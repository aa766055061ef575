/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_REGISTERS_H
#define ARCH_X86_64_REGISTERS_H

#include <sys/user.h>

struct arch_registers {
    struct user_regs_struct user; /* as NT_PRSTATUS gives them */
};

#endif
