/* SPDX-License-Identifier: MIT
 *
 * Restarts calls. At a stop after a call that failed or ended, the PC is after the call's instruction, and the result
 * is in the register of the first argument. If the kernel will enter the call again, or continue it, the PC is before
 * the instruction, and the register has the first argument, as before a new call. */
#include "common/arch/arch.h"

#include "common/arch/arm64/restart.h"
#include "common/arch/call.h"
#include "common/arch/machine.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

enum { NUMBER = 8 };

/* Also returns true before a call's first attempt, where it makes no difference. */
bool arch_restarts(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEFORE_CALL;
}

/* Returns true if the kernel continues the call by restart_syscall: the call is a wait that may have a timeout. */
static bool is_continued(const struct arch_registers *registers)
{
    switch (arch_syscall(registers)) {
    case SYS_nanosleep:
        return true;
    case SYS_clock_nanosleep:
        return !(call_argument(registers, 1) & TIMER_ABSTIME);
    case SYS_futex: {
        uint64_t command = call_argument(registers, 1) & (uint64_t)FUTEX_CMD_MASK;
        return (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && call_argument(registers, 3);
    }
    default:
        return false;
    }
}

/* Returns true if the kernel enters the call again with its whole timeout. */
static bool is_repeated(const struct arch_registers *registers)
{
    return arch_syscall(registers) == SYS_io_pgetevents;
}

/* Returns true if the kernel has put the thread before its call again. The kernel then still stores this call's first
 * argument. Rarely, this is wrong: before the first attempt of a call whose first argument equals the last call's. */
static bool is_put_back(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEFORE_CALL && registers->argument_known;
}

/* Puts the thread before its call. If it is there already, the kernel must not continue the call (see
 * arch_registers_sent). */
static void put_before(struct arch_registers *registers)
{
    if (registers->where == ARCH_BEHIND_CALL)
        registers->user.pc -= ARCH_SYSCALL_BYTES;
    else
        registers->is_ahead = true;
    registers->user.regs[0] = registers->argument;
    registers->user.regs[NUMBER] = arch_unmarked(registers->user.regs[NUMBER]);
    registers->where = ARCH_BEFORE_CALL;
}

static bool has_failed(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEHIND_CALL && call_was_interrupted(registers);
}

bool arch_restart_call(struct arch_registers *registers)
{
    bool again = (has_failed(registers) && registers->argument_known && call_is_repeatable(registers)) ||
                 (is_put_back(registers) && is_repeated(registers));
    if (again)
        put_before(registers);
    return again;
}

bool arch_continues(const struct arch_registers *registers)
{
    return is_put_back(registers) && is_continued(registers);
}

void arch_enter_anew(struct arch_registers *registers)
{
    put_before(registers);
}

bool arch_may_have_waited(const struct arch_registers *registers)
{
    return is_put_back(registers) && !registers->is_ahead && (is_repeated(registers) || is_continued(registers));
}

static bool has_timed_out(const struct arch_registers *registers, struct arch_timeout *timeout)
{
    return registers->where == ARCH_BEHIND_CALL && arch_result(registers) < 0 && call_timed_out(registers, timeout);
}

bool arch_timed_out(const struct arch_registers *registers, struct arch_timeout *timeout)
{
    return registers->argument_known && has_timed_out(registers, timeout);
}

/* Only the call's number remains in a register. The mark prevents that a later stop takes it for a call that ended
 * there. */
bool arch_leave_restart(struct arch_registers *registers)
{
    (void)registers;
    return false;
}

void arch_leave_call(struct arch_registers *registers)
{
    if (registers->where == ARCH_BEFORE_CALL)
        registers->user.pc += ARCH_SYSCALL_BYTES;
    restart_mark_left(registers);
}

/* Returns true if a thread is still at AHEAD, before a call's instruction, or if the kernel has put it back there. */
static bool same_place(const struct arch_registers *now, const struct arch_registers *ahead)
{
    return now->user.pc == ahead->user.pc && now->user.sp == ahead->user.sp &&
           now->user.regs[0] == ahead->user.regs[0] && now->user.regs[NUMBER] == ahead->user.regs[NUMBER];
}

/* The kernel puts the thread back before the first stop. */
bool arch_reads_again(const struct arch_registers *registers)
{
    (void)registers;
    return false;
}

void arch_undo_read(struct arch_registers *registers, const struct arch_registers *restarted)
{
    (void)registers;
    (void)restarted;
}

bool arch_undo_restart(struct arch_registers *registers, const struct arch_registers *restarted)
{
    if (!same_place(registers, restarted))
        return false;
    arch_set_result(registers, call_failure(restarted));
    registers->user.pc += ARCH_SYSCALL_BYTES;
    registers->where = ARCH_BEHIND_CALL;
    registers->is_ahead = false;
    return true;
}

static bool is_short(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEHIND_CALL && call_is_short(registers);
}

bool restart_looks_ended(const struct arch_registers *registers)
{
    struct arch_timeout unused;
    return has_failed(registers) || has_timed_out(registers, &unused) ||
           (is_short(registers) && call_transfer(registers) != ARCH_WHOLE) ||
           (registers->where == ARCH_BEFORE_CALL && is_repeated(registers));
}

bool arch_lacks_argument(const struct arch_registers *registers)
{
    return restart_looks_ended(registers) || (registers->where == ARCH_BEFORE_CALL && is_continued(registers));
}

/* Since Linux 6.1.192 and 6.12.117, setting registers at the end of a call also sets the argument, from the result.
 * An argument that equals the result is therefore unknown. */
void arch_set_argument(struct arch_registers *registers, uint64_t argument)
{
    if ((argument == registers->user.regs[0]) != (registers->where == ARCH_BEFORE_CALL))
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
    put_before(registers);
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
