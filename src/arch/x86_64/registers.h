/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_REGISTERS_H
#define ARCH_X86_64_REGISTERS_H

#include <stdint.h>
#include <sys/user.h>

struct arch_registers {
    struct user_regs_struct user; /* as NT_PRSTATUS gives them; or in that form, see arch/x86_64/i386.h */
    uint32_t is_compat;           /* 1: of a 32-bit thread */
    uint32_t by_interrupt;        /* 1: of a 64-bit thread in a system call that it made as 32-bit programs do */
    uint32_t is_unpacked;         /* 1: the call's arguments have been added (arch_set_packed) */
};

#endif
