/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_REGISTERS_H
#define ARCH_X86_64_REGISTERS_H

#include <stdint.h>
#include <sys/user.h>

struct arch_registers {
    struct user_regs_struct user; /* as in NT_PRSTATUS; a 32-bit thread's are in that form, see arch/x86_64/i386.h */
    uint32_t is_compat;           /* 1: the thread is a 32-bit one */
    uint32_t by_interrupt;        /* 1: a 64-bit thread in a system call made as 32-bit programs do */
    uint32_t is_ahead;            /* 1: it is about to enter its call again, or a handler; rax has no result */
    uint32_t is_unpacked;         /* 1: the call's arguments have been added (arch_set_packed) */
};

#endif
