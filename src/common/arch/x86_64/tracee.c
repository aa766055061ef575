/* SPDX-License-Identifier: MIT
 *
 * Registers and system calls of stopped x86-64 threads. */
#include "common/arch/arch.h"

#include "common/arch/call.h"
#include "common/arch/gate.h"
#include "common/arch/machine.h"
#include "common/arch/x86_64/i386.h"
#include "common/arch/x86_64/parts.h"

#include <string.h>
#include <sys/syscall.h>

/* Offsets of a system call's arguments in the registers. */
static const size_t argument_at[] = {
    offsetof(struct user_regs_struct, rdi), offsetof(struct user_regs_struct, rsi),
    offsetof(struct user_regs_struct, rdx), offsetof(struct user_regs_struct, r10),
    offsetof(struct user_regs_struct, r8),  offsetof(struct user_regs_struct, r9),
};

static const size_t interrupt_argument_at[] = {
    offsetof(struct user_regs_struct, rbx), offsetof(struct user_regs_struct, rcx),
    offsetof(struct user_regs_struct, rdx), offsetof(struct user_regs_struct, rsi),
    offsetof(struct user_regs_struct, rdi), offsetof(struct user_regs_struct, rbp),
};

/* ipc(), which multiplexes semtimedop and others, has its timeout in another argument. */
static size_t place_of(const struct arch_registers *registers, int number)
{
    enum { TIMEOUT = 3, TIMEOUT_OF_MANY = 5 };
    if (registers->by_interrupt && registers->user.orig_rax == I386_IPC && number == TIMEOUT)
        number = TIMEOUT_OF_MANY;
    return registers->by_interrupt ? interrupt_argument_at[number] : argument_at[number];
}

uint64_t call_argument(const struct arch_registers *registers, int number)
{
    uint64_t value;
    memcpy(&value, (const char *)&registers->user + place_of(registers, number), sizeof value);
    return registers->by_interrupt ? (uint32_t)value : value;
}

void call_set_argument(struct arch_registers *registers, int number, uint64_t value)
{
    memcpy((char *)&registers->user + place_of(registers, number), &value, sizeof value);
    i386_take_arguments(registers);
}

/* Returns true if rax has the number of the thread's call: the kernel, or we, made the thread enter it again. Or this
 * is the call's result. */
static bool has_number(const struct arch_registers *registers)
{
    return arch_unmarked(registers->user.rax) == i386_number(registers);
}

/* The kernel stores the number of a stopped 64-bit thread's call, but not which of its two tables it belongs to: the
 * one for `syscall`, or the one for 32-bit programs, which `int $0x80` uses. A 32-bit thread returns from every call
 * behind an `int $0x80`. At the beginning of a handler it still has the number, and the signal in eax. */
bool arch_lacks_code(struct arch_registers *registers, uint64_t *address)
{
    registers->by_interrupt = registers->is_ahead = 0;
    *address = registers->user.rip - ARCH_SYSCALL_BYTES;
    return arch_syscall(registers) >= 0;
}

enum { SYSCALL = 0x050f, INTERRUPT = 0x80cd }; /* as the processor reads two bytes of code */

static bool makes_call(uint16_t code)
{
    return code == SYSCALL || code == INTERRUPT;
}

/* If in doubt, the call has not ended. A thread that is moved back further than its call's instruction would execute
 * other instructions, made of the ends of its own. */
void arch_set_code(struct arch_registers *registers, uint64_t words)
{
    uint16_t before = (uint16_t)words, at = (uint16_t)(words >> 16);
    bool again = has_number(registers);
    registers->is_ahead = again && (makes_call(at) || !makes_call(before));
    if (registers->is_compat && !again)
        registers->is_ahead = before != INTERRUPT; /* it runs a handler first */
    if (!registers->is_compat)
        registers->by_interrupt = before == INTERRUPT || (at == INTERRUPT && again);
}

void arch_registers_sent(struct arch_registers *registers)
{
    (void)registers;
}

bool arch_lacks_argument(const struct arch_registers *registers)
{
    (void)registers;
    return false;
}

void arch_set_argument(struct arch_registers *registers, uint64_t argument)
{
    (void)registers;
    (void)argument;
}

uint64_t arch_pc(const struct arch_registers *registers)
{
    return registers->user.rip;
}

uint64_t arch_sp(const struct arch_registers *registers)
{
    return registers->user.rsp;
}

uint64_t arch_general(const struct arch_registers *registers, unsigned number)
{
    const struct user_regs_struct *user = &registers->user;
    const uint64_t values[ARCH_GENERAL] = {user->rax, user->rcx, user->rdx, user->rbx, user->rsp, user->rbp,
                                           user->rsi, user->rdi, user->r8,  user->r9,  user->r10, user->r11,
                                           user->r12, user->r13, user->r14, user->r15};
    return values[number];
}

uint64_t arch_thread_pointer(const struct arch_registers *registers)
{
    return registers->user.fs_base;
}

/* By the ABI, %fs:0 holds its own address. In the GNU C library, %fs:16 also does. */
uint64_t arch_find_thread_pointer(const void *bytes, size_t size, uint64_t address)
{
    enum { SELF = 16 };
    uint64_t header, self;
    for (size_t at = (8 - address % 8) % 8; at + SELF + sizeof self <= size; at += sizeof header) {
        memcpy(&header, (const char *)bytes + at, sizeof header);
        if (header != address + at)
            continue;
        memcpy(&self, (const char *)bytes + at + SELF, sizeof self);
        if (self == header)
            return header;
    }
    return 0;
}

void arch_set_blocked(struct arch_registers *registers, uint64_t pc, uint64_t sp, bool compat)
{
    memset(registers, 0, sizeof *registers);
    registers->is_compat = compat;
    registers->user.rip = pc;
    registers->user.rsp = sp;
    registers->user.orig_rax = (unsigned long long)-1;
}

int arch_syscall(const struct arch_registers *registers)
{
    /* -1 in user code and after faults; the kernel sets it at the entry of every system call. */
    int64_t number = (int64_t)arch_unmarked(registers->user.orig_rax);
    if (number < 0 || number >= 1 << 20)
        return -1;
    return registers->by_interrupt ? i386_native_call(registers) : (int)number;
}

#define RESUME_FLAG ((uint64_t)1 << 16)

/* AMD's processors do not set the flag for an instruction that repeats. Intel's manual says that Intel's do. */
bool arch_fault_lacks_code(const struct arch_registers *registers)
{
    __builtin_cpu_init();
    return registers->user.eflags & RESUME_FLAG && !__builtin_cpu_is("amd");
}

enum arch_fault arch_fault(const struct arch_registers *registers, const uint8_t *code, size_t size)
{
    struct parts parts;
    if (!(registers->user.eflags & RESUME_FLAG))
        return ARCH_FAULT_NO;
    bool repeats = size && parts_take(&parts, code, size, registers->is_compat) && parts.repeats && !parts.map &&
                   !parts.vector && IS_ONE_OF(parts.opcode, "\xa4\xa5\xa6\xa7\xaa\xab\xac\xad\xae\xaf");
    return repeats ? ARCH_FAULT_UNKNOWN : ARCH_FAULT_YES;
}

bool arch_restarts(const struct arch_registers *registers)
{
    return arch_syscall(registers) >= 0 && call_is_restarted(arch_result(registers));
}

bool arch_restart_call(struct arch_registers *registers)
{
    if (!call_was_interrupted(registers) || !call_is_repeatable(registers))
        return false;
    arch_enter_anew(registers);
    return true;
}

bool arch_continues(const struct arch_registers *registers)
{
    int number = arch_syscall(registers);
    return number >= 0 && number != SYS_restart_syscall && arch_result(registers) == -ERESTART_RESTARTBLOCK;
}

void arch_enter_anew(struct arch_registers *registers)
{
    registers->user.rax = i386_number(registers);
    registers->user.rip -= ARCH_SYSCALL_BYTES;
    registers->is_ahead = 1;
}

bool arch_may_have_waited(const struct arch_registers *registers)
{
    (void)registers;
    return false;
}

bool arch_timed_out(const struct arch_registers *registers, struct arch_timeout *timeout)
{
    return arch_result(registers) < 0 && call_timed_out(registers, timeout);
}

bool arch_leave_restart(struct arch_registers *registers)
{
    if (arch_syscall(registers) < 0)
        return false; /* it is placed before the call already */
    registers->user.rax = (unsigned long long)-ERESTARTNOHAND;
    return true;
}

void arch_leave_call(struct arch_registers *registers)
{
    arch_set_pc(registers, registers->user.rip);
}

/* Returns true if a thread is still at AHEAD, where we placed it before a call's instruction. If it has returned to
 * user mode since, the number of its last call is gone. */
static bool same_place(const struct arch_registers *now, const struct arch_registers *ahead)
{
    bool same_call = now->user.orig_rax == ahead->user.orig_rax || arch_syscall(now) < 0;
    return same_call && now->user.rip == ahead->user.rip && now->user.rax == ahead->user.rax &&
           now->user.rsp == ahead->user.rsp;
}

/* Before it sleeps, splice checks for a signal. The kernel restarts it then, but not once it sleeps, as it did before
 * our restart. */
static bool is_restarted(const struct arch_registers *now, const struct arch_registers *restarted)
{
    bool splices = arch_syscall(now) == SYS_splice || arch_syscall(now) == SYS_sendfile;
    return splices && (int64_t)now->user.rax == -ERESTARTSYS && arch_syscall(now) == arch_syscall(restarted) &&
           now->user.rip == restarted->user.rip + ARCH_SYSCALL_BYTES && now->user.rsp == restarted->user.rsp;
}

bool arch_undo_restart(struct arch_registers *registers, const struct arch_registers *restarted)
{
    if (is_restarted(registers, restarted)) {
        registers->user.rax = (unsigned long long)call_failure(restarted);
        return true;
    }
    if (!same_place(registers, restarted))
        return false;
    registers->user.rax = (unsigned long long)call_failure(restarted);
    registers->user.rip += ARCH_SYSCALL_BYTES;
    registers->is_ahead = 0;
    return true;
}

bool arch_reads_again(const struct arch_registers *registers)
{
    int number = arch_syscall(registers);
    return (number == SYS_read || number == SYS_readv) && arch_result(registers) == -ERESTARTSYS;
}

void arch_undo_read(struct arch_registers *registers, const struct arch_registers *restarted)
{
    registers->user.rax = (unsigned long long)-ERESTARTSYS;
    registers->user.orig_rax = restarted->user.orig_rax;
    if (registers->is_compat)
        registers->user.r15 = restarted->user.r15;
}

bool arch_forks(int32_t number)
{
    return number == SYS_fork || number == SYS_vfork || number == SYS_clone || number == SYS_clone3;
}

enum arch_transfer arch_transfer(const struct arch_registers *registers, int *fd)
{
    if (registers->is_ahead || i386_packed(registers) || !call_is_short(registers))
        return ARCH_WHOLE;
    *fd = (int)call_argument(registers, 0);
    return call_transfer(registers);
}

void arch_resume_transfer(struct arch_registers *registers, bool quietly)
{
    struct user_regs_struct *user = &registers->user;
    call_leave_remainder(registers, user->rax, quietly);
    user->rax = i386_number(registers);
    if (quietly)
        user->rax = i386_is_entered(registers) ? I386_SENDTO : SYS_sendto;
    user->rip -= ARCH_SYSCALL_BYTES;
    registers->is_ahead = 1;
}

enum arch_remainder arch_remainder(const struct arch_registers *now, const struct arch_registers *before, bool quietly)
{
    struct arch_registers ahead = *before;
    arch_resume_transfer(&ahead, quietly);
    for (int i = 0; i < 3; i++)
        if (call_argument(now, i) != call_argument(&ahead, i))
            return ARCH_REMAINDER_ELSEWHERE;
    if (same_place(now, &ahead))
        return ARCH_REMAINDER_AHEAD;
    bool inside =
        i386_number(now) == ahead.user.rax && now->user.rip == before->user.rip && now->user.rsp == before->user.rsp;
    return inside ? ARCH_REMAINDER_INSIDE : ARCH_REMAINDER_ELSEWHERE;
}

struct gate_request arch_stub_request(const struct arch_registers *registers)
{
    const struct user_regs_struct *user = &registers->user;
    return (struct gate_request){GATE_MAGIC, user->r9, {user->rbx, user->rbp, user->r12, user->r13}};
}

void arch_arguments(const struct arch_registers *registers, uint64_t arguments[static ARCH_ARGUMENTS])
{
    arguments[0] = registers->user.rdi;
    arguments[1] = registers->user.rsi;
    arguments[2] = registers->user.rdx;
    arguments[3] = registers->user.rcx;
}

void arch_set_pc(struct arch_registers *registers, uint64_t pc)
{
    registers->user.rip = pc;
    registers->user.orig_rax = (unsigned long long)-1;
    if (registers->is_compat)
        registers->user.r15 = registers->user.orig_rax;
}

void arch_set_result(struct arch_registers *registers, int64_t result)
{
    registers->user.rax = (unsigned long long)result;
}

int64_t arch_result(const struct arch_registers *registers)
{
    return (int64_t)registers->user.rax;
}
