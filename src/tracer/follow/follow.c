/* SPDX-License-Identifier: MIT */
#include "tracer/follow/follow_parts.h"

#include "common/arch/registers.h"
#include "common/base/array.h"
#include "common/base/time.h"
#include "common/model/event.h"
#include "common/model/timeout.h"
#include "tracer/follow/bystanders.h"
#include "tracer/follow/follow.h"
#include "tracer/restart/calls.h"
#include "tracer/restart/timeouts.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/registers.h"
#include "tracer/tracee/remote.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* The most events of one stop of a thread, besides births: an image ends, an image begins, a stop. */
enum { TOLD_AT_ONCE = 8 };

bool follow_may_tell(struct follow *follow)
{
    struct follow_events *events = &follow->events;
    return array_reserve_((void **)&events->items, &events->room, events->count + 1 + TOLD_AT_ONCE + FOLLOW_NEWBORNS,
                          sizeof *events->items);
}

int follow_start(struct follow *follow, _Atomic uint32_t *wake)
{
    follow->restart.table = &follow->table;
    follow->restart.rescue = follow->rescue;
    endings_start(&follow->endings, wake);
    return follow_may_tell(follow) ? 0 : -ENOMEM;
}

void follow_tell(struct follow *follow, struct follow_event event)
{
    struct follow_events *events = &follow->events;
    events->items[events->count++] = event;
}

static bool next_event(struct follow_events *events, struct follow_event *event)
{
    if (events->next == events->count) {
        events->next = events->count = 0;
        return false;
    }
    *event = events->items[events->next++];
    return true;
}

void follow_take_stop(pid_t tid)
{
    siginfo_t info;
    waitid(P_PID, (id_t)tid, &info, WSTOPPED | WNOHANG | __WALL);
}

void follow_consume(const struct thread *thread)
{
    follow_take_stop(thread->tid);
}

/* Returns true if THREAD must stop at the entry and the end of its system call. */
static bool restarts(const struct thread *thread)
{
    return thread &&
           (thread->remainder || thread->shielded || thread->timeout.look == TIMEOUT_LOOKS || thread->timeout.watched);
}

/* Resumes TID without a signal. A thread that makes a call for us also stops at that call's entry and end. */
static void resume_freely(pid_t tid, const struct thread *thread)
{
    if (restarts(thread) || (thread && thread->remote))
        request_resume_to_syscall(tid, 0);
    else
        request_resume(tid, 0);
}

static void resume_with(pid_t tid, const struct thread *thread, int sig)
{
    if (restarts(thread))
        request_resume_to_syscall(tid, sig);
    else
        request_resume(tid, sig);
}

/* The only place that resumes a stopped tracee. */
static void resume(pid_t tid, const struct thread *thread, struct event event)
{
    if (request_was_killed(tid))
        return; /* its exit stop or its end will be reported */
    switch (event.kind) {
    case EVENT_GROUP_STOP:
        if (request_listen(tid) == -EIO)
            resume_freely(tid, thread);
        break;
    case EVENT_SIGNAL:
        resume_with(tid, thread, event.value);
        break;
    default:
        resume_freely(tid, thread);
    }
}

void follow_release(struct thread *thread)
{
    if (!thread->held)
        return;
    thread->held = false;
    resume(thread->tid, thread, (struct event){.kind = EVENT_OTHER});
}

/* Finishes the thread whose events were reported: all of them have been answered. */
static void finish(struct follow *follow)
{
    siginfo_t info;
    pid_t tid = follow->heard, leader = follow->heard_leader, former = follow->heard_former;
    follow->heard = follow->heard_leader = follow->heard_former = 0;
    if (follow->heard_end) {
        bystanders_remove(&follow->bystanders, tid);
        waitid(P_PID, (id_t)tid, &info, WEXITED | __WALL);
        if (leader) /* at once: from now on, its end can be seen */
            waitid(P_PID, (id_t)leader, &info, WEXITED | __WALL);
    }
    attach_seen(follow, tid);
    if (leader)
        attach_seen(follow, leader);
    if (former) {
        bystanders_remove(&follow->bystanders, former);
        attach_seen(follow, former);
    }
}

static void begin_image(struct follow *follow, struct process *process)
{
    process->image = ++follow->next_image;
    memory_forget(&process->memory);
}

/* Finds out whether the program is native, 32-bit or foreign. /proc does not show that for a program that gained
 * rights. */
static void find_kind(struct follow *follow, struct process *process, const struct thread *thread)
{
    const struct arch_registers *registers;
    int result = stopped_registers(&follow->restart.stopped, thread->tid, &registers);
    procfs_kind(process->pid, &process->compat, &process->foreign);
    process->foreign |= result == -ENOTSUP;
    if (result == 0 && !process->foreign)
        process->compat = registers->is_compat;
}

static void begin_exec_image(struct follow *follow, struct process *process, const struct thread *thread)
{
    if (!process->launching)
        process->generation++;
    process->launching = process->attached = false;
    process->files_own = follow->children; /* without children, births may go unseen */
    attach_forget(follow, process->pid);
    find_kind(follow, process, thread);
    begin_image(follow, process);
}

/* Updates the state of a thread that has stopped. A thread that makes a call for us is not in its program's own
 * code. */
static void look_at_stop(struct follow_event *event)
{
    struct thread *thread = event->thread;
    event->asked = thread->asked && !thread->remote;
    thread->asked = false;
    event->continued = thread->group_stopped && event->stop.kind == EVENT_TRAP;
    thread->group_stopped = event->stop.kind == EVENT_GROUP_STOP;
    enum remote_answer answer = thread->remote ? remote_stopped(thread, event->stop, &event->result) : REMOTE_ELSEWHERE;
    event->remote = answer != REMOTE_ELSEWHERE;
    event->called = answer == REMOTE_DONE;
}

/* Returns true if no other thread of THREAD's process lives. */
static bool is_last(const struct thread *thread)
{
    const struct thread *other = thread->process->threads;
    while (other && (other == thread || other->ended))
        other = other->next;
    return !other;
}

/* Updates the state of a thread that is about to end. A requested stop will not come, and the thread is not held;
 * EVENT->asked reports the request. */
static void look_at_exit(struct follow_event *event)
{
    event->last = is_last(event->thread);
    event->asked = event->thread->asked;
    event->thread->asked = event->thread->held = false;
}

bool follow_next(struct follow *follow, struct follow_event *event)
{
    while (!next_event(&follow->events, event)) {
        if (!follow->heard)
            return false;
        finish(follow);
    }
    if (event->kind == FOLLOW_BORN || event->kind == FOLLOW_ATTACHED)
        begin_image(follow, event->process);
    else if (event->kind == FOLLOW_EXEC)
        begin_exec_image(follow, event->process, event->thread);
    else if (event->kind == FOLLOW_STOPPED)
        look_at_stop(event);
    else if (event->kind == FOLLOW_THREAD_EXITS)
        look_at_exit(event);
    return true;
}

/* Detaches THREAD. Without a tracer, it faults once more and dies. */
static void let_die(struct follow *follow, struct thread *thread, int sig)
{
    struct process *process = thread->process;
    if (request_detach(thread->tid, sig) < 0)
        return; /* it has been killed: its end will be reported */
    follow_thread_ended(follow, thread->tid, thread);
    if (process->thread_count == 1)
        follow_process_ended(follow, process);
}

/* The order matters: the thread's events are reported before its system call is restarted. */
static uint64_t answer_stop(struct follow *follow, const struct follow_event *event, struct follow_action action)
{
    struct thread *thread = event->thread;
    struct event stop = event->stop;
    enum first_verdict first = action.sig && !action.hold ? first_signalled(thread, action.sig) : FIRST_ANY;
    if (first == FIRST_DIES) {
        let_die(follow, thread, action.sig);
        return 0;
    }
    if (stop.kind == EVENT_SIGNAL)
        stop.value = first == FIRST_SHIELDED ? 0 : action.sig;
    if (!event->remote && (stop.kind != EVENT_SIGNAL || stop.value))
        restart_calls(&follow->restart, thread, stop);
    thread->held |= action.hold;
    if (thread->held)
        return 0;
    uint64_t now_ns = event->asked ? time_now_ns() : 0;
    resume(thread->tid, thread, stop);
    return now_ns;
}

/* Resumes a newborn. It was kept stopped since before its maker's event came. */
static void answer_newborn(const struct thread *thread)
{
    if (!thread->held)
        resume(thread->tid, NULL, (struct event){.kind = EVENT_TRAP});
}

/* Drops a SIGILL of a breakpoint that has been removed since, and the instruction runs. If the instruction is truly
 * illegal, it faults again. */
void follow_let_go(struct follow *follow, pid_t tid, int sig)
{
    if (sig == SIGILL && bystanders_have(&follow->bystanders, tid) && request_is_fault(tid))
        sig = 0;
    bystanders_remove(&follow->bystanders, tid);
    if (!request_detach(tid, sig) && follow->children)
        follow->unreachable++;
}

static void answer_unfollowed(struct follow *follow, const struct follow_event *event, struct follow_action action)
{
    struct event stop = event->stop;
    if (action.let_go) {
        follow_let_go(follow, event->tid, action.sig);
        return;
    }
    bystanders_add(&follow->bystanders, event->tid);
    if (stop.kind == EVENT_SIGNAL && !action.sig)
        follow_take_stop(event->tid);
    if (stop.kind == EVENT_SIGNAL)
        stop.value = action.sig;
    resume(event->tid, NULL, stop);
}

static void remove_process(struct follow *follow, struct process *process)
{
    if (process->let_go) {
        table_free_process(process);
        return;
    }
    attach_forget(follow, process->pid);
    table_remove_process(&follow->table, process);
}

/* PROCESS ends by itself, and another process may get its number before we know. */
static void await_end(struct follow *follow, struct process *process)
{
    attach_forget(follow, process->pid);
    table_take_process(&follow->table, process);
    process->let_go = true;
    if (!endings_await(&follow->endings, process))
        follow_process_ended(follow, process);
}

/* Returns true if the first thread of THREAD's process was killed at its exit stop: it stays traced, cannot be
 * detached, and is reported when THREAD, the last other one, is gone. So we reap both, one right after the other. */
static bool is_last_traced(const struct thread *thread)
{
    const struct thread *leader = follow_leader_beside(thread);
    return leader && procfs_is_dying(thread->process->pid, leader->tid);
}

/* Detaches a thread that is about to end. If it is not in its exit stop any more, it has been killed there. */
static void let_end(struct follow *follow, const struct follow_event *event)
{
    struct thread *thread = event->thread;
    struct process *process = thread->process;
    if (is_last_traced(thread) || (event->last && !endings_prepare(process, thread->tid))) {
        request_resume(thread->tid, 0);
        return;
    }
    if (request_detach(thread->tid, 0) == 0) {
        follow_thread_ended(follow, thread->tid, thread);
        if (event->last)
            await_end(follow, process);
    } else if (event->last) {
        endings_cancel(process);
    }
}

uint64_t follow_answer(struct follow *follow, const struct follow_event *event, struct follow_action action)
{
    switch (event->kind) {
    case FOLLOW_STOPPED:
        return answer_stop(follow, event, action);
    case FOLLOW_UNFOLLOWED:
        answer_unfollowed(follow, event, action);
        break;
    case FOLLOW_NEWBORN:
        answer_newborn(event->thread);
        break;
    case FOLLOW_EXEC:
        event->thread->held = action.hold;
        break;
    case FOLLOW_ATTACHED:
        attach_begun(follow, event->process);
        break;
    case FOLLOW_THREAD_EXITS:
        let_end(follow, event);
        break;
    case FOLLOW_THREAD_ENDED:
        table_remove_thread(&follow->table, event->thread);
        break;
    case FOLLOW_PROCESS_ENDED:
        remove_process(follow, event->process);
        break;
    case FOLLOW_ADDED:
    case FOLLOW_BORN:
    case FOLLOW_THREAD_BORN:
    case FOLLOW_CHILDREN_KNOWN:
    case FOLLOW_IMAGE_ENDS:
        break;
    }
    return 0;
}

uint64_t follow_expire(struct follow *follow, uint64_t until_ns)
{
    return timeouts_expire(&follow->restart, time_earlier(until_ns, newborns_due_ns(follow)));
}
