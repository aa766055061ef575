/* SPDX-License-Identifier: MIT */
#include "common/arch/call.h"

#include "common/arch/arch.h"
#include "common/arch/call_table.h"
#include "common/arch/gate.h"

#include <asm/termbits.h>
#include <errno.h>
#include <linux/aio_abi.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/vt.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

void call_set_arguments(struct arch_registers *registers, const struct arch_call *call)
{
    for (int i = 0; i < (int)(sizeof call->arguments / sizeof *call->arguments); i++)
        call_set_argument(registers, i, call->arguments[i]);
}

/* These calls first wait until all written data is sent, or for a console, and only then act. Requests that discard
 * input do so first, and would discard more if repeated. */
static bool repeatable_ioctl(unsigned request, int argument)
{
    switch (request) {
    case TCSBRK:
        return argument != 0; /* tcdrain; argument 0 sends a break */
    case TCSETSW:
    case TCSETSW2:
    case TCSETAW:
    case VT_WAITACTIVE:
        return true;
    default:
        return false;
    }
}

static bool repeatable(const struct arch_registers *registers)
{
    const struct call_rules *rules = call_rules(registers);
    if (arch_syscall(registers) == SYS_ioctl)
        return repeatable_ioctl((unsigned)call_argument(registers, 1), (int)call_argument(registers, 2));
    return rules->again && !call_has(registers, rules->except);
}

/* Only the verifier of BPF programs lets its call fail with EAGAIN, as a request to try again. An interrupted sleep
 * fails with EFAULT if the kernel cannot write the remaining time. */
int64_t call_failure(const struct arch_registers *registers)
{
    switch (arch_syscall(registers)) {
    case SYS_bpf:
        return -EAGAIN;
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
        return -EFAULT;
    default:
        return -EINTR;
    }
}

/* The kernel restarts io_pgetevents itself if no handler runs, but restarts its timeout too. So it is entered again
 * here. Other calls of this kind are not listed: they have no timeout (pause, rt_sigsuspend, msgrcv), an absolute one
 * (clock_nanosleep), or have written the remaining time into the program's memory (select, pselect6, ppoll). */
static bool restarts_from_the_start(const struct arch_registers *registers)
{
    return arch_syscall(registers) == SYS_io_pgetevents && arch_result(registers) == -ERESTARTNOHAND;
}

bool call_was_interrupted(const struct arch_registers *registers)
{
    return (arch_result(registers) == call_failure(registers) && repeatable(registers)) ||
           restarts_from_the_start(registers);
}

bool call_is_repeatable(const struct arch_registers *registers)
{
    return arch_syscall(registers) != SYS_bpf || call_argument(registers, 0) == BPF_PROG_LOAD;
}

bool call_is_restarted(int64_t result)
{
    return result <= -ERESTARTSYS && result >= -ERESTART_LAST;
}

unsigned arch_starts_over(const struct arch_registers *registers)
{
    return call_rules(registers)->starts_over;
}

uint64_t call_marked(uint64_t number)
{
    return (uint32_t)number | CALL_MARK << 32;
}

bool call_is_marked(uint64_t number)
{
    return number >> 32 == CALL_MARK;
}

uint64_t arch_unmarked(uint64_t number)
{
    return call_is_marked(number) ? (uint32_t)number : number;
}

bool arch_connects_still(const struct arch_registers *registers)
{
    bool again = !arch_takes_mark(registers) || arch_is_marked(registers);
    return again && arch_syscall(registers) == SYS_connect && arch_result(registers) == -EALREADY;
}

enum arch_transfer call_transfer(const struct arch_registers *registers)
{
    /* other flags change how many bytes are sent, or more than the bytes */
    bool whole = arch_syscall(registers) == SYS_sendto && call_argument(registers, 3) & ~(uint64_t)MSG_NOSIGNAL;
    return whole ? ARCH_WHOLE : call_rules(registers)->transfer;
}

/* Returns the index of the buffer argument. Its size is the next argument. */
static int buffer_of(const struct arch_registers *registers)
{
    return arch_syscall(registers) == SYS_getrandom ? 0 : 1;
}

static uint64_t wanted(const struct arch_registers *registers)
{
    enum { MOST_AT_ONCE = 0x7ffff000 }; /* the kernel's limit for one transfer */
    uint64_t count = call_argument(registers, buffer_of(registers) + 1);
    return count < MOST_AT_ONCE ? count : MOST_AT_ONCE;
}

/* Returns true if DONE events or submitted requests may be too few. If DONE requests were submitted, the result does
 * not show whether the wait for events was interrupted. Waiting again ends at once if it was not: the events are still
 * in the ring. */
static bool events_missing(const struct arch_registers *registers, uint64_t done)
{
    uint64_t asked = call_argument(registers, 1), least = (uint32_t)call_argument(registers, 2);
    if (arch_syscall(registers) != SYS_io_uring_enter)
        return done < asked;
    return done == (uint32_t)asked && least && call_argument(registers, 3) & IORING_ENTER_GETEVENTS;
}

bool call_is_short(const struct arch_registers *registers)
{
    int64_t done = arch_result(registers);
    if (done <= 0)
        return false;
    if (call_transfer(registers) == ARCH_EVENTS)
        return events_missing(registers, (uint64_t)done);
    return (uint64_t)done < wanted(registers);
}

static void leave_events(struct arch_registers *registers, uint64_t done)
{
    if (arch_syscall(registers) == SYS_io_uring_enter) {
        call_set_argument(registers, 1, 0); /* no requests are left: all are submitted */
        return;
    }
    call_set_argument(registers, 1, call_argument(registers, 1) - done);
    call_set_argument(registers, 2, call_argument(registers, 2) - done);
    call_set_argument(registers, 3, call_argument(registers, 3) + done * sizeof(struct io_event));
}

void call_leave_remainder(struct arch_registers *registers, uint64_t done, bool quietly)
{
    if (call_transfer(registers) == ARCH_EVENTS) {
        leave_events(registers, done);
        return;
    }
    int buffer = buffer_of(registers);
    uint64_t left = wanted(registers) - done;
    call_set_argument(registers, buffer, call_argument(registers, buffer) + done);
    call_set_argument(registers, buffer + 1, left);
    if (!quietly)
        return;
    bool has_flags = arch_syscall(registers) == SYS_sendto;
    call_set_argument(registers, 3, MSG_NOSIGNAL); /* it had no other flags */
    for (int i = 4; !has_flags && i < 6; i++)
        call_set_argument(registers, i, 0);
}

bool arch_sum(struct arch_registers *now, const struct arch_registers *before)
{
    int64_t part = arch_result(now);
    *now = *before;
    arch_set_result(now, arch_result(now) + (part > 0 ? part : 0));
    return (part > 0 || part == -EINTR || call_is_restarted(part)) && call_is_short(now);
}

bool arch_gate(const struct arch_registers *registers, uint64_t *address)
{
    int number = arch_syscall(registers);
    uint64_t magic = registers->is_compat ? (uint32_t)GATE_MAGIC : GATE_MAGIC;
    if (call_argument(registers, 4) != magic || (number != SYS_tgkill && number != SYS_rt_sigprocmask))
        return false;
    *address = call_argument(registers, 5);
    return true;
}

void arch_gate_answer(struct arch_registers *registers, int64_t result)
{
    arch_set_result(registers, result);
    call_set_argument(registers, 4, GATE_SERVED);
}

bool arch_gate_unblocks(const struct arch_registers *registers)
{
    return arch_syscall(registers) == SYS_rt_sigprocmask;
}
