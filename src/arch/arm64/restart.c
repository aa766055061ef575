/* SPDX-License-Identifier: MIT
 *
 * Restarting calls. At a stop, a call that has failed or ended is behind its instruction, with its result in place of
 * its first argument. A call that the kernel will enter again, or continue, is before its instruction, with the first
 * argument in place: as a call that has not been made yet. */
#include "arch/arch.h"

#include "arch/arm64/restart.h"
#include "arch/call.h"
#include "arch/machine.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

enum { NUMBER = 8 };

/* It makes no difference before a call's first attempt. */
bool arch_restarts(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEFORE_CALL;
}

/* True if the kernel continues the call by restart_syscall: a wait that may have a timeout. */
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

/* True if the kernel enters the call again with its whole timeout. */
static bool is_repeated(const struct arch_registers *registers)
{
    return arch_syscall(registers) == SYS_io_pgetevents;
}

/* True if the kernel has put the thread before such a call. The first argument of the last call shows it: it is that of
 * this call. Rarely, that is so before the first attempt, too, if both calls have the same argument. */
static bool is_put_back(const struct arch_registers *registers)
{
    return registers->where == ARCH_BEFORE_CALL && registers->argument_known;
}

/* Puts the thread before its call, or leaves it there: then the kernel must not continue the call (see
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

/* What is left of the call is its number: the mark prevents that a later stop finds a call that has ended here. */
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
