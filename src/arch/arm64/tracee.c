/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include "arch/call.h"
#include "arch/machine.h"
#include "arch/gate.h"

#include <string.h>
#include <sys/syscall.h>

enum { MAKE_CALL = 0xd4000001u /* svc #0 */, HIGHEST_CALL = 1024 };

/* A call's number is in x8, and its result replaces its first argument. The kind of branch that led to an
 * instruction, in PSTATE, must be none where a thread is put. */
enum { NUMBER = 8 };
#define BRANCH_KIND ((uint64_t)3 << 10)

/* The first argument of a call that has its result is where that does not cover it, if anywhere. */
uint64_t call_argument(const struct arch_registers *registers, int number)
{
    return number == 0 && registers->argument_known ? registers->argument : registers->user.regs[number];
}

void call_set_argument(struct arch_registers *registers, int number, uint64_t value)
{
    registers->user.regs[number] = value;
}

bool arch_registers_received(struct arch_registers *registers, size_t size)
{
    registers->is_compat = 0;
    return size == sizeof registers->user;
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

/* It is not among these registers. */
uint64_t arch_thread_pointer(const struct arch_registers *registers)
{
    (void)registers;
    return 0;
}

/* Below it the GNU C library has the list of a thread's robust mutexes, a ring that begins empty: a pointer to the
 * next word, which has its own address. Few threads ever have one. */
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

int arch_syscall(const struct arch_registers *registers)
{
    return registers->where == ARCH_NO_CALL ? -1 : (int)(uint32_t)registers->user.regs[NUMBER];
}

/* It makes no difference before a call's first attempt. */
bool arch_restarts(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEFORE_CALL;
}

/* The call by which the kernel will continue it is not visible any longer, and cannot be changed. */
bool arch_continues(const struct arch_registers *registers)
{
    (void)registers;
    return false;
}

void arch_enter_anew(struct arch_registers *registers)
{
    (void)registers;
}

/* Puts a thread that is behind a call before it. */
static void put_before(struct arch_registers *registers, uint64_t argument)
{
    registers->user.regs[0] = argument;
    registers->user.regs[NUMBER] = arch_unmarked(registers->user.regs[NUMBER]);
    registers->user.pc -= ARCH_SYSCALL_BYTES;
    registers->where = ARCH_BEFORE_CALL;
}

static bool has_failed(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEHIND_CALL && call_was_interrupted(registers);
}

bool arch_restart_call(struct arch_registers *registers)
{
    if (!has_failed(registers) || !registers->argument_known || !call_is_repeatable(registers))
        return false;
    put_before(registers, registers->argument);
    return true;
}

/* Its first argument, the descriptor, is not asked for. */
bool arch_timed_out(const struct arch_registers *registers, int *fd)
{
    (void)registers;
    (void)fd;
    return false;
}

void arch_leave_call(struct arch_registers *registers)
{
    (void)registers;
}

/* True if a thread has come no further than AHEAD, where it was put before a call's instruction, or the kernel has put
 * it back there. */
static bool same_place(const struct arch_registers *now, const struct arch_registers *ahead)
{
    return now->user.pc == ahead->user.pc && now->user.sp == ahead->user.sp &&
           now->user.regs[0] == ahead->user.regs[0] && now->user.regs[NUMBER] == ahead->user.regs[NUMBER];
}

bool arch_undo_restart(struct arch_registers *registers, const struct arch_registers *restarted)
{
    if (!same_place(registers, restarted))
        return false;
    arch_set_result(registers, call_failure(restarted));
    registers->user.pc += ARCH_SYSCALL_BYTES;
    registers->where = ARCH_BEHIND_CALL;
    return true;
}

bool arch_forks(int32_t number)
{
    return number == SYS_clone || number == SYS_clone3;
}

static bool is_short(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEHIND_CALL && call_is_short(registers);
}

bool arch_lacks_argument(const struct arch_registers *registers)
{
    return has_failed(registers) || (is_short(registers) && call_transfer(registers) != ARCH_WHOLE);
}

/* Some kernels show the register's content, which is the result. An argument that happens to equal it is therefore
 * unknown, too. */
void arch_set_argument(struct arch_registers *registers, uint64_t argument)
{
    if ((int64_t)argument == arch_result(registers))
        return;
    registers->argument = argument;
    registers->argument_known = true;
}

enum arch_transfer arch_transfer(const struct arch_registers *registers, int *fd)
{
    if (!is_short(registers) || !registers->argument_known)
        return ARCH_WHOLE;
    *fd = (int)registers->argument;
    return call_transfer(registers);
}

void arch_resume_transfer(struct arch_registers *registers, bool quietly)
{
    uint64_t done = registers->user.regs[0];
    put_before(registers, registers->argument);
    call_leave_remainder(registers, done, quietly);
    if (quietly)
        registers->user.regs[NUMBER] = SYS_sendto;
}

enum arch_remainder arch_remainder(const struct arch_registers *now, const struct arch_registers *before, bool quietly)
{
    struct arch_registers ahead = *before;
    arch_resume_transfer(&ahead, quietly);
    if (now->user.regs[1] != ahead.user.regs[1] || now->user.regs[2] != ahead.user.regs[2])
        return ARCH_REMAINDER_ELSEWHERE;
    if (same_place(now, &ahead))
        return ARCH_REMAINDER_AHEAD;
    bool inside = now->user.regs[NUMBER] == ahead.user.regs[NUMBER] && now->user.pc == before->user.pc &&
                  now->user.sp == before->user.sp;
    return inside ? ARCH_REMAINDER_INSIDE : ARCH_REMAINDER_ELSEWHERE;
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
