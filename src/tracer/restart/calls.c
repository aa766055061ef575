/* SPDX-License-Identifier: MIT */
#include "tracer/restart/calls.h"

#include "common/arch/call.h"
#include "common/base/time.h"
#include "common/model/event.h"
#include "common/model/timeout.h"
#include "tracer/plant/rescue.h"
#include "tracer/restart/files.h"
#include "tracer/restart/restart.h"
#include "tracer/restart/socket.h"
#include "tracer/restart/timeouts.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <signal.h>

/* Resume a write only on a socket without SO_SNDTIMEO: re-entering the call would restart the timeout. */
static bool waits_for_ever(const struct thread *thread, int fd)
{
    uint64_t length_ns;
    int family;
    return socket_timeout(thread->process->pid, thread->tid, fd, true, &length_ns, &family) == 0 &&
           length_ns == TIMEOUT_NONE;
}

/* A write may be resumed if the call itself would have waited, and if its descriptor still names the same file. */
static bool write_goes_on(const struct restart *restart, const struct thread *thread, int fd, bool *quietly)
{
    enum procfs_file file = procfs_file(thread->tid, fd);
    *quietly = file == PROCFS_UNIX_SOCKET;
    return (file == PROCFS_PIPE || *quietly) && procfs_blocks(thread->tid, fd) &&
           files_stay(restart->table, thread, *quietly) && (!*quietly || waits_for_ever(thread, fd));
}

/* Reads the packed arguments again. The kernel has read them before, but the program may have changed them since. If
 * they cannot be read, the call is not resumed. */
static void add_packed(struct thread *thread, struct arch_registers *registers)
{
    uint32_t words[ARCH_PACKED_MOST] = {0};
    uint64_t address;
    size_t count = arch_lacks_packed(registers, &address);
    if (count && memory_read_all(&thread->process->memory, thread->tid, address, words, count * sizeof *words) == 0)
        arch_set_packed(registers, words);
}

static bool goes_on(const struct restart *restart, const struct thread *thread, const struct arch_registers *registers,
                    bool *quietly)
{
    int fd;
    *quietly = false;
    switch (arch_transfer(registers, &fd)) {
    case ARCH_WRITE:
        return write_goes_on(restart, thread, fd, quietly);
    case ARCH_READ:
        return procfs_file(thread->tid, fd) == PROCFS_ENDLESS && files_stay(restart->table, thread, false);
    case ARCH_RANDOM:
    case ARCH_EVENTS:
        return true;
    default:
        return false;
    }
}

/* Makes THREAD enter the call for the remainder of a transfer; REGISTERS are those at the end of the short transfer.
 * The new note is written before the registers change, and the old one is dropped last. So the front finds a true
 * note whenever we die. */
static void enter_remainder(struct restart *restart, struct thread *thread, const struct arch_registers *registers,
                            bool quietly)
{
    struct arch_registers ahead = *registers;
    struct procfs_identity identity = {0};
    if (thread->remainder)
        identity = thread->remainder->identity;
    else
        procfs_identify(thread->tid, &identity);
    struct rescue_remainder *remainder = rescue_remainder(restart->rescue, thread->tid, &identity, registers, quietly);
    arch_resume_transfer(&ahead, quietly);
    if (remainder && stopped_set_registers(&restart->stopped, thread->tid, &ahead)) {
        rescue_forget_remainder(remainder);
        remainder = NULL;
    }
    if (!remainder)
        stopped_set_registers(&restart->stopped, thread->tid, registers);
    rescue_forget_remainder(thread->remainder);
    thread->remainder = remainder;
    thread->remainder_entered = false;
    thread->restarted = false;
    thread->restarted_with = ahead;
}

static void leave_remainder(struct restart *restart, struct thread *thread, const struct arch_registers *registers)
{
    if (stopped_set_registers(&restart->stopped, thread->tid, registers))
        return;
    rescue_forget_remainder(thread->remainder);
    thread->remainder = NULL;
    timeouts_leave(thread);
}

static bool awaits_events(const struct arch_registers *registers)
{
    int fd;
    return arch_transfer(registers, &fd) == ARCH_EVENTS;
}

/* Of the remainders only a wait for events can have a timeout. */
static bool has_time_left(struct restart *restart, struct thread *thread, const struct arch_registers *registers)
{
    return !awaits_events(registers) || timeouts_remain(restart, thread, registers);
}

/* The wait is over. A later stop on the way out must not begin it again. */
static void leave_events(struct arch_registers *registers)
{
    if (awaits_events(registers))
        arch_leave_call(registers);
}

/* At a system-call-stop: the first is at the entry of the call for the remainder, the second at its end. */
static void pass_remainder(struct restart *restart, struct thread *thread, const struct arch_registers *now)
{
    struct arch_registers sum = *now;
    if (!thread->remainder_entered) {
        thread->remainder_entered = true;
        if (restart->recalling)
            request_interrupt(thread->tid);
        return;
    }
    if (arch_sum(&sum, &thread->remainder->before) && !restart->recalling && has_time_left(restart, thread, &sum)) {
        enter_remainder(restart, thread, &sum, thread->remainder->quietly);
        return;
    }
    leave_events(&sum);
    leave_remainder(restart, thread, &sum);
}

/* If in doubt, assume that a handler will run. */
static bool will_be_handled(const struct thread *thread, struct event event)
{
    return event.kind == EVENT_SIGNAL && procfs_may_handle(thread->tid, event.value);
}

/* Job control may keep the thread stopped for long. If we died during that time, it would later transfer the
 * remainder alone. Without a tracer it would get a short count here. */
static bool ends_remainder(const struct thread *thread, struct event event)
{
    bool stops = event.kind == EVENT_SIGNAL &&
                 (event.value == SIGSTOP || event.value == SIGTSTP || event.value == SIGTTIN || event.value == SIGTTOU);
    return event.kind == EVENT_GROUP_STOP || (stops && !procfs_ignores(thread->tid, event.value)) ||
           will_be_handled(thread, event);
}

/* THREAD has stopped before it has transferred the remainder. */
static void follow_remainder(struct restart *restart, struct thread *thread, struct event event)
{
    const struct arch_registers *now;
    if (stopped_registers(&restart->stopped, thread->tid, &now) < 0)
        return;
    if (event.kind == EVENT_SYSCALL)
        pass_remainder(restart, thread, now);
    else if ((restart->recalling || ends_remainder(thread, event)) &&
             arch_remainder(now, &thread->remainder->before, thread->remainder->quietly) == ARCH_REMAINDER_AHEAD)
        leave_remainder(restart, thread, &thread->remainder->before);
}

static void set_shielded(struct thread *thread, bool shielded)
{
    thread->shielded = shielded;
    thread->shielded_inside = false;
}

/* The shielded THREAD enters its call, or has reached the call's end. At the end, checks whether the call was
 * interrupted again. */
static void pass_shielded(struct restart *restart, struct thread *thread)
{
    const struct arch_registers *now;
    struct arch_registers again;
    if (!thread->shielded_inside) {
        thread->shielded_inside = true;
        return;
    }
    set_shielded(thread, false);
    if (stopped_registers(&restart->stopped, thread->tid, &now) < 0)
        return;
    again = *now;
    if (!arch_restart_call(&again))
        thread->shielded_times = 0;
}

/* Unhandled signals may come faster than the call can do its work, so restarting stops after a while. The next call
 * of the program counts from the beginning. */
static bool may_begin_anew(struct thread *thread, const struct arch_registers *now)
{
    const uint64_t enough_ns = 500000000;
    unsigned least = arch_starts_over(now);
    if (!least)
        return true;
    if (!thread->shielded_times)
        thread->shielded_since_ns = time_now_ns();
    if (thread->shielded_times++ < least || time_now_ns() - thread->shielded_since_ns < enough_ns)
        return true;
    thread->shielded_times = 0;
    return false;
}

/* Sets the registers of THREAD to CHANGED. With CHANGED the thread enters its call again or, if BACK, sees that the
 * call failed. */
static void change(struct restart *restart, struct thread *thread, const struct arch_registers *now,
                   struct arch_registers *changed, bool back)
{
    struct arch_registers by_kernel = *now;
    if (restart->leaving && !back && arch_leave_restart(&by_kernel)) {
        stopped_set_registers(&restart->stopped, thread->tid, &by_kernel);
        timeouts_leave(thread);
        return;
    }
    bool again = !back && timeouts_enter(restart, thread, now, changed);
    if (stopped_set_registers(&restart->stopped, thread->tid, changed))
        return;
    thread->restarted = again;
    thread->restarted_with = *changed;
    set_shielded(thread, again && arch_starts_over(now));
}

/* A filter may kill the thread for restart_syscall, the call with which the kernel continues an interrupted call. So
 * restarts the call from its beginning, which does less harm. */
static bool enter_anew(const struct thread *thread, struct arch_registers *registers)
{
    if (!arch_continues(registers) || procfs_filtered_as_we(thread->tid))
        return false;
    arch_enter_anew(registers);
    return true;
}

/* The kernel counts a socket's remaining timeout in clock ticks. A call that a signal wakes within the last tick
 * reports a timeout, though up to one tick remains. */
static bool wait_on(struct thread *thread, struct arch_registers *registers)
{
    if (!timeouts_seem_over(thread, registers))
        return false;
    arch_enter_anew(registers);
    return true;
}

enum failure_step {
    FAILURE_LEAVE,     /* the program gets the call's result */
    FAILURE_KEEP,      /* the thread is about to enter the call again: nothing has changed */
    FAILURE_ENTER,     /* make the thread enter the call again */
    FAILURE_TAKE_BACK, /* a handler will run: the call fails after all */
};

/* Chooses the next step. FAILED: the call failed only because it was interrupted. AHEAD: the thread is placed before
 * the call and has not entered it again. WAITED: it may have entered it again and been interrupted again, or it entered
 * it only to check its timeout. */
static enum failure_step failure_step(bool failed, bool ahead, bool handled, bool waited)
{
    if (!failed)
        return FAILURE_LEAVE;
    if (handled)
        return ahead ? FAILURE_TAKE_BACK : FAILURE_LEAVE;
    return ahead && !waited ? FAILURE_KEEP : FAILURE_ENTER;
}

/* Changes REGISTERS so that a call that an interruption has ended is entered again. Returns false if there is none. */
static bool enter_again(const struct restart *restart, struct thread *thread, struct arch_registers *registers)
{
    return timeouts_restart_failed(thread, registers) || enter_anew(thread, registers) || wait_on(thread, registers) ||
           (!restart->leaving && timeouts_restart_read(thread, registers));
}

/* A handler will run, and THREAD with registers CHANGED must see the failure of its call. arch_undo_restart has set the
 * usual one. */
static void set_failure(const struct thread *thread, struct arch_registers *changed)
{
    if (thread->restarted_from == -ERESTARTSYS)
        arch_undo_read(changed, &thread->restarted_with);
    else if (arch_result(changed) == -EFAULT && thread->restarted_from != -EFAULT)
        arch_set_result(changed, -EINTR);
}

/* Restarts the call of THREAD if the call failed only because it was interrupted. Returns true if the thread's
 * registers were changed. */
static bool restart_failed_call(struct restart *restart, struct thread *thread, struct event event,
                                const struct arch_registers *now)
{
    struct arch_registers changed = *now;
    bool ahead = thread->restarted && arch_undo_restart(&changed, &thread->restarted_with);
    bool failed = ahead || enter_again(restart, thread, &changed);
    bool handled = failed && will_be_handled(thread, event);
    bool waited = thread->timeout.look == TIMEOUT_LOOKED || arch_may_have_waited(now);
    switch (failure_step(failed, ahead, handled, waited)) {
    case FAILURE_KEEP:
        return false;
    case FAILURE_TAKE_BACK:
        timeouts_leave(thread);
        set_failure(thread, &changed);
        change(restart, thread, now, &changed, true);
        return true;
    case FAILURE_ENTER:
        thread->restarted = false;
        if (!ahead)
            thread->restarted_from = arch_result(now);
        if (!may_begin_anew(thread, now))
            return false;
        if (ahead && arch_may_have_waited(now)) {
            changed = *now;
            enter_again(restart, thread, &changed);
        }
        change(restart, thread, now, &changed, false);
        return true;
    case FAILURE_LEAVE:
        thread->restarted = false;
        timeouts_leave(thread);
    }
    return false;
}

/* A seccomp filter may pass a call to a supervisor, which sees it once more for each restart by the kernel. So shields
 * THREAD if the kernel restarts its call, and if THREAD has filters that we do not have. */
static void note_kernel_restart(struct thread *thread, struct event event, const struct arch_registers *now)
{
    if (arch_restarts(now) && !procfs_filtered_as_we(thread->tid))
        set_shielded(thread, !will_be_handled(thread, event));
}

/* True if a handler of SIGSYS has returned to where THREAD is, with its own result for the call. */
static bool has_been_trapped(struct thread *thread, const struct arch_registers *now)
{
    if (!thread->trapped.sp)
        return false;
    bool there = arch_pc(now) == thread->trapped.pc && arch_sp(now) == thread->trapped.sp &&
                 arch_syscall(now) == thread->trapped.call;
    if (!there && arch_sp(now) >= thread->trapped.sp) /* it has left the handler */
        thread->trapped.sp = 0;
    return there;
}

static void restart_call(struct restart *restart, struct thread *thread, struct event event)
{
    const struct arch_registers *stopped;
    struct arch_registers now; /* before any change */
    bool quietly;
    if (event.kind == EVENT_SYSCALL && thread->shielded)
        pass_shielded(restart, thread);
    else if (event.kind == EVENT_SYSCALL)
        timeouts_at_syscall(restart, thread);
    if ((event.kind != EVENT_TRAP && event.kind != EVENT_SIGNAL) ||
        stopped_registers(&restart->stopped, thread->tid, &stopped) < 0)
        return;
    now = *stopped;
    if (has_been_trapped(thread, &now))
        return;
    add_packed(thread, &now);
    if (thread->shielded && will_be_handled(thread, event))
        set_shielded(thread, false);
    if (!restart->recalling && goes_on(restart, thread, &now, &quietly) && !ends_remainder(thread, event) &&
        has_time_left(restart, thread, &now))
        enter_remainder(restart, thread, &now, quietly);
    else if (!restart_failed_call(restart, thread, event, &now))
        note_kernel_restart(thread, event, &now);
}

/* Marks the interrupted call as handled, so that a stop at the handler's return does not restart it. A handler of
 * SIGSYS, the signal of a seccomp filter, needs the call in the registers: there they stay unchanged. */
static void set_handled(struct restart *restart, struct thread *thread, struct event event)
{
    const struct arch_registers *now;
    struct arch_registers changed;
    if (event.kind != EVENT_SIGNAL || stopped_registers(&restart->stopped, thread->tid, &now) < 0)
        return;
    changed = *now;
    if (!arch_set_handled(&changed) || !will_be_handled(thread, event))
        return;
    if (event.value != SIGSYS) {
        stopped_set_registers(&restart->stopped, thread->tid, &changed);
        return;
    }
    thread->trapped.pc = arch_pc(now);
    thread->trapped.sp = arch_sp(now);
    thread->trapped.call = arch_syscall(now);
}

void restart_calls(struct restart *restart, struct thread *thread, struct event event)
{
    if (thread->remainder)
        follow_remainder(restart, thread, event);
    else
        restart_call(restart, thread, event);
    set_handled(restart, thread, event);
}

size_t restart_leave(struct restart *restart)
{
    size_t count = 0;
    restart->leaving = true;
    for (size_t i = 0; i < restart->table->count; i++)
        count += restart->table->threads[i]->timeout.look != TIMEOUT_NOT_YET;
    return count;
}

size_t restart_recall(struct restart *restart)
{
    size_t count = 0;
    restart->recalling = true;
    for (size_t i = 0; i < restart->table->count; i++)
        count += restart->table->threads[i]->remainder && !request_interrupt(restart->table->threads[i]->tid);
    return count;
}
