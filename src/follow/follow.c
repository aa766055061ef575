/* SPDX-License-Identifier: MIT */
#include "follow/follow_parts.h"

#include "base/array.h"
#include "base/time.h"
#include "follow/ends.h"
#include "follow/first.h"
#include "restart/calls.h"
#include "tracee/procfs.h"
#include "tracee/remote.h"
#include "tracee/request.h"
#include "restart/timeouts.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* The most events of one stop of a thread, besides births: an image ends, an image begins, a stop. */
enum { TOLD_AT_ONCE = 8 };

bool follow_may_tell(struct follow *follow)
{
    struct happenings *happenings = &follow->happenings;
    return array_reserve_((void **)&happenings->items, &happenings->room,
                          happenings->count + 1 + TOLD_AT_ONCE + FOLLOW_NEWBORNS, sizeof *happenings->items);
}

int follow_start(struct follow *follow)
{
    follow->restart.table = &follow->table;
    follow->restart.rescue = follow->rescue;
    return follow_may_tell(follow) ? 0 : -ENOMEM;
}

void follow_tell(struct follow *follow, struct happened happened)
{
    struct happenings *happenings = &follow->happenings;
    happenings->items[happenings->count++] = happened;
}

static bool take_happened(struct happenings *happenings, struct happened *happened)
{
    if (happenings->next == happenings->count) {
        happenings->next = happenings->count = 0;
        return false;
    }
    *happened = happenings->items[happenings->next++];
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
           (thread->rest || thread->shielded || thread->timeout.look == TIMEOUT_LOOKS || thread->timeout.watched);
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

void follow_release(struct follow *follow, struct thread *thread)
{
    if (!thread->held)
        return;
    thread->held = false;
    ends_follow(follow, thread);
    resume_freely(thread->tid, thread);
}

/* Finishes the thread whose events were reported: all of them have been answered. */
static void finish(struct follow *follow)
{
    siginfo_t info;
    pid_t tid = follow->heard, former = follow->heard_former;
    follow->heard = follow->heard_former = 0;
    if (follow->heard_end) {
        bystanders_remove(&follow->bystanders, tid);
        waitid(P_PID, (id_t)tid, &info, WEXITED | __WALL);
    }
    attach_seen(follow, tid);
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
static void look_at_stop(struct happened *happened)
{
    struct thread *thread = happened->thread;
    happened->asked = thread->asked && !thread->remote;
    thread->asked = false;
    happened->continued = thread->group_stopped && happened->event.kind == EVENT_TRAP;
    thread->group_stopped = happened->event.kind == EVENT_GROUP_STOP;
    enum remote_answer answer =
        thread->remote ? remote_stopped(thread, happened->event, &happened->result) : REMOTE_ELSEWHERE;
    happened->remote = answer != REMOTE_ELSEWHERE;
    happened->called = answer == REMOTE_DONE;
}

/* No earlier request to this thread has any effect now. */
static void look_at_exit(struct happened *happened)
{
    happened->asked = happened->thread->asked;
    happened->thread->asked = happened->thread->held = false;
}

bool follow_next(struct follow *follow, struct happened *happened)
{
    while (!take_happened(&follow->happenings, happened)) {
        if (!follow->heard)
            return false;
        finish(follow);
    }
    if (happened->kind == HAPPENED_BORN || happened->kind == HAPPENED_ATTACHED)
        begin_image(follow, happened->process);
    else if (happened->kind == HAPPENED_EXEC)
        begin_exec_image(follow, happened->process, happened->thread);
    else if (happened->kind == HAPPENED_STOPPED)
        look_at_stop(happened);
    else if (happened->kind == HAPPENED_THREAD_EXITS)
        look_at_exit(happened);
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
static uint64_t answer_stop(struct follow *follow, const struct happened *happened, struct verdict verdict)
{
    struct thread *thread = happened->thread;
    struct event event = happened->event;
    enum first_verdict first = verdict.sig && !verdict.hold ? first_signalled(thread, verdict.sig) : FIRST_ANY;
    if (first == FIRST_DIES) {
        let_die(follow, thread, verdict.sig);
        return 0;
    }
    if (event.kind == EVENT_SIGNAL)
        event.value = first == FIRST_SHIELDED ? 0 : verdict.sig;
    if (!happened->remote && (event.kind != EVENT_SIGNAL || event.value))
        restart_calls(&follow->restart, thread, event);
    thread->held |= verdict.hold;
    if (thread->held)
        return 0;
    ends_follow(follow, thread);
    uint64_t now_ns = happened->asked ? time_now_ns() : 0;
    resume(thread->tid, thread, event);
    return now_ns;
}

/* Resumes a newborn. It was kept stopped since before its maker's event came. */
static void answer_newborn(struct follow *follow, struct thread *thread)
{
    if (thread->held)
        return;
    ends_follow(follow, thread);
    request_resume(thread->tid, 0);
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

static void answer_unfollowed(struct follow *follow, const struct happened *happened, struct verdict verdict)
{
    struct event event = happened->event;
    if (verdict.let_go) {
        follow_let_go(follow, happened->tid, verdict.sig);
        return;
    }
    bystanders_add(&follow->bystanders, happened->tid);
    if (event.kind == EVENT_SIGNAL && !verdict.sig)
        follow_take_stop(happened->tid);
    if (event.kind == EVENT_SIGNAL)
        event.value = verdict.sig;
    resume(happened->tid, NULL, event);
}

static void remove_process(struct follow *follow, struct process *process)
{
    attach_forget(follow, process->pid);
    table_remove_process(&follow->table, process);
}

uint64_t follow_answer(struct follow *follow, const struct happened *happened, struct verdict verdict)
{
    switch (happened->kind) {
    case HAPPENED_STOPPED:
        return answer_stop(follow, happened, verdict);
    case HAPPENED_UNFOLLOWED:
        answer_unfollowed(follow, happened, verdict);
        break;
    case HAPPENED_NEWBORN:
        answer_newborn(follow, happened->thread);
        break;
    case HAPPENED_EXEC:
        happened->thread->held = verdict.hold;
        break;
    case HAPPENED_ATTACHED:
        attach_begun(follow, happened->process);
        break;
    case HAPPENED_THREAD_EXITS:
        request_resume(happened->tid, 0);
        break;
    case HAPPENED_THREAD_ENDED:
        table_remove_thread(&follow->table, happened->thread);
        break;
    case HAPPENED_PROCESS_ENDED:
        remove_process(follow, happened->process);
        break;
    case HAPPENED_ADDED:
    case HAPPENED_BORN:
    case HAPPENED_THREAD_BORN:
    case HAPPENED_CHILDREN_KNOWN:
    case HAPPENED_IMAGE_ENDS:
        break;
    }
    return 0;
}

uint64_t follow_expire(struct follow *follow, uint64_t until_ns)
{
    return timeouts_expire(&follow->restart, time_earlier(until_ns, newborns_due_ns(follow)));
}
