/* SPDX-License-Identifier: MIT */
#ifndef ARCH_ARM64_REGISTERS_H
#define ARCH_ARM64_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

struct arch_registers {
    struct user_regs_struct user; /* as NT_PRSTATUS gives them */
    uint32_t is_compat;           /* 0: of a 64-bit thread */

    /* At a stop the kernel does not store the system call any more. The register of its first argument contains its
     * result, or the argument with which the kernel will enter it again. */
    enum {
        ARCH_NO_CALL,
        ARCH_BEHIND_CALL, /* the instruction before the PC made a call, which has returned or is in progress */
        ARCH_BEFORE_CALL, /* the instruction at the PC makes a call, for the first time or again */
    } where;
    bool argument_known;
    uint64_t argument; /* the first argument, as the kernel stores it */

    /* The thread was put before a call's instruction and has not run since. Its PC has a tag, which is not in user.pc.
     */
    bool is_ahead;
};

#endif
