/* SPDX-License-Identifier: MIT
 *
 * Registers and system calls of stopped arm64 threads. */
#include "common/arch/arch.h"

#include "common/arch/call.h"
#include "common/arch/gate.h"
#include "common/arch/machine.h"

#include <string.h>
#include <sys/syscall.h>

enum { MAKE_CALL = 0xd4000001u /* svc #0 */, HIGHEST_CALL = 1024 };

/* A call's number is in x8, and its result replaces its first argument. PSTATE has the kind of branch that led to the
 * current instruction. It must be 0 (none) when a thread's PC is set. */
enum { NUMBER = 8 };
#define BRANCH_KIND ((uint64_t)3 << 10)

/* Once a call has its result, the register of the first argument is overwritten; registers->argument has the argument,
 * if it is known. */
uint64_t call_argument(const struct arch_registers *registers, int number)
{
    return number == 0 && registers->argument_known ? registers->argument : registers->user.regs[number];
}

void call_set_argument(struct arch_registers *registers, int number, uint64_t value)
{
    registers->user.regs[number] = value;
}

/* The address bits of the PC; the kernel and the processor ignore the others (see arch_registers_sent). */
#define PC_BITS (((uint64_t)1 << 56) - 1)

bool arch_registers_received(struct arch_registers *registers, size_t size)
{
    registers->is_compat = 0;
    registers->is_ahead = registers->user.pc & ~PC_BITS;
    registers->user.pc &= PC_BITS;
    return size == sizeof registers->user;
}

/* At a stop on the way out of a call that it is going to continue, the kernel compares the PC with the address of the
 * call's instruction, and if they are equal, enters restart_syscall instead. A tag in the PC's highest byte makes them
 * differ. The processor removes it on the return to user mode (Documentation/arm64/tagged-pointers.rst). */
void arch_registers_sent(struct arch_registers *registers)
{
    const uint64_t tag = (uint64_t)1 << 56;
    if (registers->is_ahead)
        registers->user.pc |= tag;
}

size_t arch_lacks_packed(const struct arch_registers *registers, uint64_t *address)
{
    (void)registers;
    (void)address;
    return 0;
}

void arch_set_packed(struct arch_registers *registers, const uint32_t words[static ARCH_PACKED_MOST])
{
    (void)registers;
    (void)words;
}

int32_t arch_syscall_of(int32_t number, bool compat)
{
    (void)compat;
    return number;
}

bool arch_lacks_code(struct arch_registers *registers, uint64_t *address)
{
    registers->where = ARCH_NO_CALL;
    registers->argument_known = false;
    registers->argument = 0;
    *address = registers->user.pc - ARCH_SYSCALL_BYTES;
    return arch_unmarked(registers->user.regs[NUMBER]) < HIGHEST_CALL;
}

void arch_set_code(struct arch_registers *registers, uint64_t words)
{
    if ((uint32_t)words == MAKE_CALL)
        registers->where = ARCH_BEHIND_CALL;
    else if (words >> 32 == MAKE_CALL)
        registers->where = ARCH_BEFORE_CALL;
}

uint64_t arch_pc(const struct arch_registers *registers)
{
    return registers->user.pc;
}

uint64_t arch_sp(const struct arch_registers *registers)
{
    return registers->user.sp;
}

/* These registers do not include the thread pointer; request_thread_pointer reads it. */
uint64_t arch_general(const struct arch_registers *registers, unsigned number)
{
    return number < ARCH_GENERAL - 1 ? registers->user.regs[number] : registers->user.sp;
}

uint64_t arch_thread_pointer(const struct arch_registers *registers)
{
    (void)registers;
    return 0;
}

/* Below the thread pointer, the GNU C library has the head of the thread's list of robust mutexes, a ring. If it is
 * empty, one word has the address of the next word, which has its own address. Few threads ever have a robust mutex. */
uint64_t arch_find_thread_pointer(const void *bytes, size_t size, uint64_t address)
{
    uint64_t words[2];
    for (size_t at = (8 - address % 8) % 8; at + sizeof words <= size; at += sizeof *words) {
        memcpy(words, (const char *)bytes + at, sizeof words);
        if (words[0] == address + at + sizeof *words && words[1] == words[0])
            return address + at;
    }
    return 0;
}

void arch_set_blocked(struct arch_registers *registers, uint64_t pc, uint64_t sp, bool compat)
{
    (void)compat;
    memset(registers, 0, sizeof *registers);
    registers->user.pc = pc;
    registers->user.sp = sp;
}

bool arch_fault_lacks_code(const struct arch_registers *registers)
{
    (void)registers;
    return false;
}

enum arch_fault arch_fault(const struct arch_registers *registers, const uint8_t *code, size_t size)
{
    (void)registers;
    (void)code;
    (void)size;
    return ARCH_FAULT_NO;
}

int arch_syscall(const struct arch_registers *registers)
{
    return registers->where == ARCH_NO_CALL ? -1 : (int)(uint32_t)registers->user.regs[NUMBER];
}

bool arch_forks(int32_t number)
{
    return number == SYS_clone || number == SYS_clone3;
}

struct gate_request arch_stub_request(const struct arch_registers *registers)
{
    const unsigned long long *regs = registers->user.regs;
    return (struct gate_request){GATE_MAGIC, regs[5], {regs[19], regs[20], regs[21], regs[22]}};
}

void arch_arguments(const struct arch_registers *registers, uint64_t arguments[static ARCH_ARGUMENTS])
{
    for (size_t i = 0; i < ARCH_ARGUMENTS; i++)
        arguments[i] = registers->user.regs[i];
}

void arch_set_pc(struct arch_registers *registers, uint64_t pc)
{
    registers->user.pc = pc;
    registers->user.pstate &= ~BRANCH_KIND;
    registers->where = ARCH_NO_CALL;
    registers->is_ahead = false;
}

void arch_set_result(struct arch_registers *registers, int64_t result)
{
    registers->user.regs[0] = (unsigned long long)result;
}

int64_t arch_result(const struct arch_registers *registers)
{
    return (int64_t)registers->user.regs[0];
}

struct arch_timeout arch_timeout(const struct arch_registers *registers)
{
    return call_timeout(registers);
}
