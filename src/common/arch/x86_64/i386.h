/* SPDX-License-Identifier: MIT
 *
 * Threads of 32-bit programs. Their registers are stored as a 64-bit thread's: where the processor keeps them, except
 * esi and edi, which are in r12 and r13, and edx, in r14. The arguments of the system call are copied to where a 64-bit
 * thread has them. The call's number is the corresponding 64-bit call's; r15 has the number that the thread used. */
#ifndef ARCH_X86_64_I386_H
#define ARCH_X86_64_I386_H

#include "common/arch/registers.h"
#include "common/arch/syscalls.h"

#include <stdbool.h>
#include <stdint.h>

/* Numbers of i386. The first two multiplex many calls: an argument selects one. */
enum { I386_SOCKETCALL = 102, I386_IPC = 117, I386_SENDTO = 369 };

/* Returns the number of the 64-bit call that is equivalent to call NUMBER of i386; without one, ARCH_COMPAT_SYSCALLS +
 * NUMBER; -1 for -1. */
int32_t i386_native(int32_t number);

/* Returns the number with which the thread with REGISTERS, of either kind, enters its call again. */
uint64_t i386_number(const struct arch_registers *registers);

/* Returns true if the thread makes its call as 32-bit programs do: it is a 32-bit thread, or a 64-bit one that uses int
 * $0x80. */
static inline bool i386_is_entered(const struct arch_registers *registers)
{
    return registers->is_compat || registers->by_interrupt;
}

/* Returns the number of the equivalent 64-bit call, as i386_native. The thread is a 64-bit one, now in an i386 call. */
int32_t i386_native_call(const struct arch_registers *registers);

/* Returns true if the arguments of its call are in memory. */
bool i386_packed(const struct arch_registers *registers);

/* Copies the arguments from the registers of a 64-bit call to the registers of a 32-bit call. Does nothing for a 64-bit
 * thread. */
void i386_take_arguments(struct arch_registers *registers);

/* Like arch_trail and arch_send, for a 32-bit thread. */
struct arch_trail;
struct arch_site;
struct arch_call;
void i386_trail(const struct arch_registers *registers, struct arch_trail *trail);
void i386_send(struct arch_registers *registers, const struct arch_site *site, const struct arch_call *call);

#endif
