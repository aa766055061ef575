/* SPDX-License-Identifier: MIT */
#ifndef ARCH_ARM64_REGISTERS_H
#define ARCH_ARM64_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

struct arch_registers {
    struct user_regs_struct user; /* as NT_PRSTATUS gives them */
    uint32_t is_compat;           /* 0: of a 64-bit thread */

    /* At a stop the kernel has forgotten the system call, and its result, or what it will be entered with again, is in
     * place of its first argument. */
    enum {
        ARCH_NO_CALL,
        ARCH_BEHIND_CALL, /* the instruction before the PC makes one: it has its result, or is in it */
        ARCH_BEFORE_CALL, /* the one at the PC does: as for the first time, or once more */
    } where;
    bool argument_known;
    uint64_t argument; /* the first, as the kernel still has it */

    /* The thread was left before a call's instruction and has not run since: its PC has a tag, which is not in user. */
    bool is_ahead;
};

#endif
