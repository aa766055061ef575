/* SPDX-License-Identifier: MIT */
#include "tracer/restart/timeouts.h"

#include "common/arch/arch.h"
#include "common/base/time.h"
#include "common/model/proctext.h"
#include "common/model/timeout.h"
#include "tracer/restart/restart.h"
#include "tracer/restart/socket.h"
#include "tracer/restart/terminal.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/registers.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <sys/socket.h>

/* The kernel takes any number of microseconds, and at most one second of nanoseconds. */
static uint64_t length_of_parts(int64_t seconds, int64_t part, bool in_microseconds)
{
    if (in_microseconds && part >= 0)
        return timeout_length(seconds + part / 1000000, part % 1000000 * 1000);
    return timeout_length(seconds, part);
}

static uint64_t short_length_at(struct thread *thread, uint64_t address, bool in_microseconds)
{
    int32_t length[2]; /* seconds and their part, in the layout of a 32-bit process */
    if (memory_read_all(&thread->process->memory, thread->tid, address, length, sizeof length))
        return TIMEOUT_NONE;
    return length_of_parts(length[0], length[1], in_microseconds);
}

static uint64_t length_at(struct thread *thread, uint64_t address, bool in_microseconds)
{
    int64_t length[2]; /* in the layout of a 64-bit process */
    if (memory_read_all(&thread->process->memory, thread->tid, address, length, sizeof length))
        return TIMEOUT_NONE;
    return length_of_parts(length[0], length[1], in_microseconds);
}

static uint64_t length_by_pointer(struct thread *thread, uint64_t address)
{
    uint64_t pointer;
    if (memory_read_all(&thread->process->memory, thread->tid, address, &pointer, sizeof pointer) || !pointer)
        return TIMEOUT_NONE;
    return length_at(thread, pointer, false);
}

/* Of a socket, or of a terminal. */
static uint64_t length_of_descriptor(const struct thread *thread, const struct arch_timeout *timeout, int64_t *result)
{
    uint64_t length_ns = TIMEOUT_NONE;
    int family = AF_UNSPEC;
    pid_t pid = thread->process->pid, tid = thread->tid;
    if (timeout->receives < 0 || socket_timeout(pid, tid, timeout->receives, false, &length_ns, &family))
        socket_timeout(pid, tid, timeout->sends, true, &length_ns, &family);
    if (family == AF_UNSPEC && timeout->receives >= 0 && terminal_timeout(pid, tid, timeout->receives, &length_ns))
        *result = 0;
    if (timeout->connects && family != AF_UNIX)
        *result = -EINPROGRESS;
    return length_ns;
}

/* Reads the argument at ADDRESS of a call that has its arguments in memory. The program may have changed it since. */
static int packed_argument(struct thread *thread, uint64_t address, int unknown)
{
    int32_t argument = unknown;
    memory_read_all(&thread->process->memory, thread->tid, address, &argument, sizeof argument);
    return argument;
}

static void find_descriptor(struct thread *thread, struct arch_timeout *timeout)
{
    if (timeout->descriptor_at)
        *(timeout->receives < 0 ? &timeout->sends : &timeout->receives) =
            packed_argument(thread, timeout->descriptor_at, -1);
}

/* Returns true if the call of TIMEOUT may wait: neither its descriptor nor its flags in memory forbid it. Its registers
 * have been checked before. */
static bool waits(struct thread *thread, struct arch_timeout *timeout)
{
    find_descriptor(thread, timeout);
    return (timeout->receives < 0 || procfs_blocks(thread->tid, timeout->receives)) &&
           (timeout->sends < 0 || procfs_blocks(thread->tid, timeout->sends)) &&
           (!timeout->flags_at || !(packed_argument(thread, timeout->flags_at, MSG_DONTWAIT) & MSG_DONTWAIT));
}

static uint64_t length_of(struct thread *thread, const struct arch_registers *registers, int64_t *result)
{
    struct arch_timeout timeout = arch_timeout(registers);
    *result = timeout.result;
    switch (timeout.place) {
    case ARCH_TIMEOUT_VALUE:
        return timeout_length(timeout.milliseconds / 1000, timeout.milliseconds % 1000 * 1000000);
    case ARCH_TIMEOUT_AT:
        return (timeout.is_short ? short_length_at : length_at)(thread, timeout.address, timeout.in_microseconds);
    case ARCH_TIMEOUT_POINTER_AT:
        return length_by_pointer(thread, timeout.address);
    case ARCH_TIMEOUT_OF_SOCKET:
        find_descriptor(thread, &timeout);
        return length_of_descriptor(thread, &timeout, result);
    case ARCH_NO_TIMEOUT:
        break;
    }
    return TIMEOUT_NONE;
}

/* Reads the call's timeout. Not done before a call is interrupted for the second time. */
static void read_timeout(struct thread *thread, const struct arch_registers *registers)
{
    thread->timeout.asked = true;
    thread->timeout.length_ns = length_of(thread, registers, &thread->timeout_result);
}

static void wake_for(struct restart *restart, const struct timeout *timeout)
{
    if (timeout->due_ns && (!restart->due_ns || timeout->due_ns < restart->due_ns))
        restart->due_ns = timeout->due_ns;
}

/* Returns true if THREAD, at the end of a call with registers NOW, is still in the call that it was made to enter
 * again. A mark shows this. If a call has no room for a mark, its end is watched: then it has not ended yet, or the
 * interruption ended it. */
static bool is_same(const struct thread *thread, const struct arch_registers *now)
{
    const struct timeout *timeout = &thread->timeout;
    if (!timeout->since_ns || arch_takes_mark(now))
        return timeout->since_ns && arch_is_marked(now);
    return timeout->watched || timeout->interrupted || timeout->look == TIMEOUT_LOOKED;
}

bool timeouts_restart_failed(struct thread *thread, struct arch_registers *registers)
{
    int64_t result = arch_result(registers), unused;
    struct arch_registers again = *registers;
    if (!arch_restart_call(&again) || (result == -EFAULT && length_of(thread, registers, &unused) == TIMEOUT_NONE))
        return false;
    *registers = again;
    return true;
}

bool timeouts_restart_read(struct thread *thread, struct arch_registers *registers)
{
    uint64_t length_ns;
    if (!arch_reads_again(registers) ||
        !terminal_timeout(thread->process->pid, thread->tid, arch_timeout(registers).receives, &length_ns))
        return false;
    arch_enter_anew(registers);
    return true;
}

bool timeouts_seem_over(struct thread *thread, const struct arch_registers *now)
{
    struct arch_timeout timeout;
    int64_t result;
    return arch_timed_out(now, &timeout) &&
           (is_same(thread, now) || (waits(thread, &timeout) && length_of(thread, now, &result) != TIMEOUT_NONE));
}

static uint64_t tick_ns(void)
{
    struct timespec tick;
    return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) ? 0 : timeout_length(tick.tv_sec, tick.tv_nsec);
}

/* Enters a call again for the last tick: it has waited for its timeout except for at most one tick of the kernel's
 * clock. */
static void begin_last_tick(struct restart *restart, struct thread *thread, const struct arch_registers *now)
{
    struct timeout *timeout = &thread->timeout;
    read_timeout(thread, now);
    timeout->length_ns = timeout->length_ns < tick_ns() ? timeout->length_ns : tick_ns();
    timeout->due_ns = timeout_due(timeout);
    thread->timeout_result = arch_result(now);
    wake_for(restart, timeout);
}

/* Empties the sets of descriptors of select(), as the kernel does at the end of the timeout. Returns false if some of
 * this memory cannot be written. */
static bool empty_sets(struct thread *thread, const struct arch_registers *registers)
{
    static const char zeros[1024];
    struct arch_timeout timeout = arch_timeout(registers);
    uint64_t room = 0;
    for (int i = 0; i < 3; i++) {
        if (timeout.sets[i] && !room && !procfs_table_size(thread->tid, &room))
            return true;
        uint64_t size = room / 8 < timeout.set_bytes ? room / 8 : timeout.set_bytes;
        for (uint64_t at = 0; timeout.sets[i] && at < size; at += sizeof zeros) {
            size_t part = size - at < sizeof zeros ? (size_t)(size - at) : sizeof zeros;
            ssize_t written = memory_write(&thread->process->memory, thread->tid, timeout.sets[i] + at, zeros, part);
            if (written >= 0 ? (size_t)written < part : written == -EFAULT)
                return false;
        }
    }
    return true;
}

/* The interruption may have come late, so the timeout is checked first. */
static enum timeout_step next_step(struct restart *restart, struct thread *thread, const struct arch_registers *now)
{
    uint64_t now_ns = time_now_ns();
    struct timeout *timeout = &thread->timeout;
    bool same = is_same(thread, now);
    struct arch_timeout unused;
    timeout->interrupted = false;
    if (!same) {
        timeout_begin(timeout, now_ns);
        if (arch_timed_out(now, &unused))
            begin_last_tick(restart, thread, now);
        return TIMEOUT_ENTER;
    }
    if (!timeout->asked)
        read_timeout(thread, now);
    enum timeout_step step = timeout_step(timeout, now_ns);
    uint64_t due_ns = timeout_due(timeout);
    timeout->look = step == TIMEOUT_LOOK ? TIMEOUT_LOOKS : TIMEOUT_NOT_YET;
    timeout->due_ns = step == TIMEOUT_ENTER && due_ns != TIMEOUT_NONE ? due_ns : 0;
    wake_for(restart, timeout);
    return step;
}

bool timeouts_remain(struct restart *restart, struct thread *thread, const struct arch_registers *registers)
{
    struct timeout *timeout = &thread->timeout;
    uint64_t now_ns = time_now_ns();
    if (!thread->remainder && !is_same(thread, registers))
        timeout_begin(timeout, now_ns);
    if (!timeout->asked)
        read_timeout(thread, registers);
    uint64_t due_ns = timeout_due(timeout);
    timeout->look = TIMEOUT_NOT_YET;
    timeout->watched = false;
    timeout->due_ns = due_ns == TIMEOUT_NONE ? 0 : due_ns;
    wake_for(restart, timeout);
    return now_ns < due_ns;
}

bool timeouts_enter(struct restart *restart, struct thread *thread, const struct arch_registers *now,
                    struct arch_registers *again)
{
    if (next_step(restart, thread, now) != TIMEOUT_END) {
        arch_mark(again);
        thread->timeout.watched =
            thread->timeout.look != TIMEOUT_LOOKS && (!arch_takes_mark(now) || arch_timeout(now).connects);
        return true;
    }
    timeouts_leave(thread);
    int64_t result = empty_sets(thread, now) ? thread->timeout_result : -EFAULT;
    *again = *now;
    arch_set_result(again, result);
    arch_leave_call(again);
    return false;
}

/* A call that was entered again fails with EALREADY while the connection is being made. The first call would have
 * failed with EINPROGRESS, or with what is known by now, so return that. */
static void tell_connecting(struct restart *restart, const struct thread *thread, const struct arch_registers *now)
{
    struct arch_registers changed = *now;
    arch_set_result(&changed, thread->timeout.asked ? thread->timeout_result : -EINPROGRESS);
    stopped_set_registers(&restart->stopped, thread->tid, &changed);
}

static void watch(struct restart *restart, struct thread *thread)
{
    const struct arch_registers *now;
    if (stopped_registers(&restart->stopped, thread->tid, &now) < 0 || arch_enters_call(now))
        return;
    /* If a filter may forbid the kernel's way to continue a call, the call was restarted from its beginning. Do not
     * leave it to the kernel now. */
    struct arch_registers again = *now;
    bool marked = arch_takes_mark(now);
    struct arch_timeout unused; /* it may seem to be over up to a tick early, see wait_on in restart/calls.c */
    bool interrupted = arch_result(now) == -EINTR || timeouts_restart_failed(thread, &again) ||
                       timeouts_restart_read(thread, &again) || arch_timed_out(now, &unused) ||
                       (!marked && arch_continues(now));
    if (!interrupted && !marked && arch_restarts(now))
        return; /* the kernel enters it again */
    thread->timeout.watched = false;
    thread->timeout.interrupted = interrupted;
    if (interrupted)
        request_interrupt(thread->tid); /* the stop that interrupted it is lost in this one */
    else if (!marked)
        timeouts_leave(thread);
    if (arch_connects_still(now))
        tell_connecting(restart, thread, now);
}

void timeouts_at_syscall(struct restart *restart, struct thread *thread)
{
    if (thread->timeout.look == TIMEOUT_LOOKS) {
        thread->timeout.look = TIMEOUT_LOOKED;
        request_interrupt(thread->tid);
    } else if (thread->timeout.watched) {
        watch(restart, thread);
    }
}

void timeouts_leave(struct thread *thread)
{
    thread->timeout = (struct timeout){0};
}

/* A running thread may be about to sleep in that call, and a stop does it no harm. A thread that sleeps elsewhere is
 * left alone. */
static bool may_wait(const struct thread *thread)
{
    char text[256];
    struct blocked where;
    if (procfs_text(thread->process->pid, thread->tid, "syscall", text, sizeof text) <= 0)
        return false;
    return !proctext_blocked(text, &where) ||
           arch_waits_again(&thread->restarted_with, where.syscall, where.pc, where.sp);
}

static void expire(struct thread *thread)
{
    thread->timeout.due_ns = 0;
    if (!thread->held && !thread->group_stopped && may_wait(thread))
        request_interrupt(thread->tid);
}

static void expire_all(struct restart *restart, uint64_t now_ns)
{
    const struct table *table = restart->table;
    restart->due_ns = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct thread *thread = table->threads[i];
        if (thread->timeout.due_ns && thread->timeout.due_ns <= now_ns)
            expire(thread);
        wake_for(restart, &thread->timeout);
    }
}

uint64_t timeouts_expire(struct restart *restart, uint64_t until_ns)
{
    if (!restart->due_ns)
        return until_ns;
    uint64_t now_ns = time_now_ns();
    if (now_ns >= restart->due_ns)
        expire_all(restart, now_ns);
    return time_earlier(restart->due_ns, until_ns);
}
