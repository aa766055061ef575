/* SPDX-License-Identifier: MIT */
#include "tracee/follow_parts.h"

#include "base/wake.h"
#include "tracee/ends.h"
#include "tracee/files.h"
#include "tracee/mend.h"
#include "tracee/procfs.h"
#include "tracee/remote.h"
#include "tracee/request.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* A stop that is seen this often in one sweep is not going away: leave it for the next. */
enum { SWEEP_PATIENCE = 10000, NEWBORN_NS = 1000000000 };

void follow_begin_image(struct follow *follow, struct process *process, struct thread *thread, bool by_exec)
{
    process->image = ++follow->next_image;
    process->map_read_ns = 0;
    process->map_misses = 0;
    process->map_asked = false;
    memory_forget(&process->memory);
    follow->owner.image_begins(follow->owner.owner, process, thread, by_exec);
}

struct process *follow_add_process(struct follow *follow, pid_t pid, pid_t parent)
{
    struct process *process = table_add_process(&follow->table, pid, parent);
    if (process)
        follow->owner.process_added(follow->owner.owner, process);
    return process;
}

void follow_remove_process(struct follow *follow, struct process *process)
{
    if (process->image)
        follow->owner.image_ends(follow->owner.owner, process);
    attach_forget(follow, process->pid);
    follow->owner.process_removed(follow->owner.owner, process);
    table_remove_process(&follow->table, process);
}

int follow_launched(struct follow *follow, pid_t pid)
{
    int result = request_seize(pid, follow->children);
    if (result < 0)
        return result;
    struct process *process = follow_add_process(follow, pid, 0);
    if (!process || !table_add_thread(&follow->table, process, pid))
        return -ENOMEM;
    process->launching = true;
    return 0;
}

struct thread *follow_adopt(struct follow *follow, pid_t tid, struct process *origin, bool attached)
{
    pid_t pid, parent;
    struct thread *thread = table_thread(&follow->table, tid);
    if (thread)
        return thread;
    /* One that has ended by now may have been heard of, and reaped, before its parent's event. */
    if (!procfs_family(tid, &pid, &parent))
        return NULL;
    struct process *process = table_process(&follow->table, pid);
    bool fresh = !process;
    if (fresh) {
        if (!follow->children)
            return NULL;
        process = follow_add_process(follow, pid, parent);
        if (process)
            process->attached = attached;
    }
    thread = process ? table_add_thread(&follow->table, process, tid) : NULL;
    if (!thread) {
        follow->short_of_memory = true;
        if (fresh && process)
            follow_remove_process(follow, process);
        return NULL;
    }
    thread->busy = true;
    thread->wait.born_ns = wake_now();
    if (fresh) {
        if (!origin)
            origin = table_process(&follow->table, parent);
        process->unsupported = origin && origin->unsupported;
        if (origin)
            follow->owner.forked(follow->owner.owner, process, origin, thread);
        follow_begin_image(follow, process, thread, false);
    }
    return thread;
}

static void consume(pid_t tid)
{
    siginfo_t info;
    waitid(P_PID, (id_t)tid, &info, WSTOPPED | WNOHANG | __WALL);
}

void follow_consume(const struct thread *thread)
{
    consume(thread->tid);
}

static void forget_newborn(struct follow *follow, size_t index)
{
    follow->newborns[index] = follow->newborns[--follow->newborn_count];
}

/* A child process has stopped for the first time. Who made it, and so what it has of the maker's, only the maker's event
 * says: a child's parent may be another. Returns true if it has to wait for that, its stop consumed. If children cannot be
 * remembered, that event may have come before. */
static bool must_wait(struct follow *follow, pid_t tid, struct event event)
{
    pid_t pid, parent;
    if (event.kind != EVENT_TRAP || follow->short_of_memory || follow->newborn_count == FOLLOW_NEWBORNS ||
        table_thread(&follow->table, tid) || !procfs_family(tid, &pid, &parent) || table_process(&follow->table, pid))
        return false;
    consume(tid);
    follow->newborns[follow->newborn_count++] = (struct newborn){tid, parent, wake_now()};
    return true;
}

/* A thread whose call is followed from its entry to its end stops at both. */
static bool mends(const struct thread *thread)
{
    return thread && (thread->rest || thread->spared || thread->timeout.look == TIMEOUT_LOOKS || thread->timeout.watched);
}

/* So is one that makes a call for us. */
static void resume_freely(pid_t tid, const struct thread *thread)
{
    if (mends(thread) || (thread && thread->remote))
        request_resume_to_syscall(tid, 0);
    else
        request_resume(tid, 0);
}

static void resume_with(pid_t tid, const struct thread *thread, int sig)
{
    if (mends(thread))
        request_resume_to_syscall(tid, sig);
    else
        request_resume(tid, sig);
}

/* The only place where a stopped tracee is let go. */
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

/* One that is not to be followed, or cannot be. If it meets a byte that is back by the time that this is seen, it is to go
 * on there; another instruction that is not one says so again. */
static void resume_unfollowed(struct follow *follow, pid_t tid, struct event event)
{
    int sig = event.kind == EVENT_SIGNAL ? event.value : 0;
    bool known = bystanders_have(&follow->bystanders, tid);
    if (follow->owner.unfollowed(follow->owner.owner, tid, &sig)) {
        if (known && sig == SIGILL && request_is_fault(tid))
            sig = 0;
        bystanders_remove(&follow->bystanders, tid);
        if (!request_detach(tid, sig) && follow->children)
            follow->unreachable++;
        return;
    }
    bystanders_add(&follow->bystanders, tid);
    if (event.kind == EVENT_SIGNAL && !sig)
        consume(tid);
    event.value = sig;
    resume(tid, NULL, event);
}

/* Newborn INDEX is adopted, as a child of ORIGIN if that is known, and runs. */
static void welcome(struct follow *follow, size_t index, struct process *origin)
{
    pid_t tid = follow->newborns[index].tid;
    forget_newborn(follow, index);
    struct thread *thread = follow_adopt(follow, tid, origin, false);
    if (!thread) {
        resume_unfollowed(follow, tid, (struct event){.kind = EVENT_TRAP});
    } else if (!thread->held) {
        ends_follow(follow, thread);
        request_resume(tid, 0);
    }
}

void follow_welcome(struct follow *follow)
{
    while (follow->newborn_count)
        welcome(follow, 0, table_process(&follow->table, follow->newborns[0].parent));
}

/* An event may never come: its thread was killed before. */
static void welcome_orphans(struct follow *follow, pid_t parent)
{
    uint64_t now_ns = follow->newborn_count ? wake_now() : 0;
    for (size_t i = follow->newborn_count; i-- > 0;)
        if (follow->newborns[i].parent == parent || now_ns - follow->newborns[i].seen_ns > NEWBORN_NS)
            welcome(follow, i, table_process(&follow->table, follow->newborns[i].parent));
}

static void adopt_child(struct follow *follow, pid_t child, struct process *maker)
{
    for (size_t i = 0; i < follow->newborn_count; i++)
        if (follow->newborns[i].tid == child) {
            welcome(follow, i, maker);
            return;
        }
    pid_t pid, parent;
    if (!follow_adopt(follow, child, maker, false) && procfs_family(child, &pid, &parent))
        bystanders_add(&follow->bystanders, child);
}

static void handle_birth(struct follow *follow, pid_t tid)
{
    const struct thread *thread = table_thread(&follow->table, tid);
    struct process *maker = thread ? thread->process : NULL;
    pid_t child;
    if (request_event_message(tid, &child))
        return;
    bool fresh = !table_thread(&follow->table, child), apart = files_apart(tid, child);
    adopt_child(follow, child, maker);
    files_born(maker, table_thread(&follow->table, child), fresh && apart);
}

/* All other threads are gone, and the thread that called exec has taken the leader's tid. */
static struct thread *handle_exec(struct follow *follow, pid_t tid)
{
    struct thread *leader = table_thread(&follow->table, tid);
    const struct arch_registers *registers;
    struct process *process = table_process(&follow->table, tid);
    pid_t former = tid;

    /* Of a process whose leader had ended before it was attached, the leader is not known. */
    if (process && !leader)
        leader = table_add_thread(&follow->table, process, tid);
    if (!leader)
        return NULL;
    /* A stop that must be consumed: if the thread has changed its tid, the kernel answers no request before. */
    consume(tid);
    request_event_message(tid, &former);
    const struct thread *caller = table_thread(&follow->table, former);
    if (caller)
        leader->account = caller->account;
    leader->end = caller ? caller->end : THREAD_END_UNKNOWN;
    leader->attempt.pending = leader->mended = leader->named = leader->held = leader->spared = false;
    leader->stack_top = 0;
    remote_drop(leader);
    rescue_forget_rest(leader->rest);
    leader->rest = NULL;
    leader->timeout = (struct timeout){0};
    thread_close_files(leader);
    for (struct thread *other = process->threads, *next; other; other = next) {
        next = other->next;
        if (other == leader)
            continue;
        follow->owner.thread_ends(follow->owner.owner, other);
        table_remove_thread(&follow->table, other);
    }
    if (process->image)
        follow->owner.image_ends(follow->owner.owner, process);
    if (!process->launching)
        process->generation++;
    process->launching = process->attached = false;
    process->files_own = follow->children; /* else births may go unseen */
    attach_forget(follow, process->pid);
    process->unsupported = follow_registers(follow, leader, &registers) == -ENOTSUP;
    follow_begin_image(follow, process, leader, true);
    return leader;
}

static void handle_end(struct follow *follow, pid_t tid)
{
    struct thread *thread = table_thread(&follow->table, tid);
    siginfo_t info;
    for (size_t i = 0; i < follow->newborn_count; i++)
        if (follow->newborns[i].tid == tid) {
            forget_newborn(follow, i);
            break;
        }
    welcome_orphans(follow, tid);
    struct process *process = thread ? thread->process : NULL;
    if (thread) {
        follow->owner.thread_ends(follow->owner.owner, thread);
        table_remove_thread(&follow->table, thread);
    }
    /* A leader's end is told when all of its threads have ended; one that had ended before it was attached is not ours. */
    if (process && (process->pid == tid || !process->threads))
        follow_remove_process(follow, process);
    bystanders_remove(&follow->bystanders, tid);
    waitid(P_PID, (id_t)tid, &info, WEXITED | __WALL);
}

int follow_registers(struct follow *follow, const struct thread *thread, const struct arch_registers **registers)
{
    if (follow->registers_of != thread->tid) {
        int result = request_registers(thread->tid, &follow->registers);
        if (result < 0)
            return result;
        follow->registers_of = thread->tid;
    }
    *registers = &follow->registers;
    return 0;
}

int follow_set_registers(struct follow *follow, const struct thread *thread, const struct arch_registers *registers)
{
    int result = request_set_registers(thread->tid, registers);
    follow->registers = *registers;
    follow->registers_of = result ? 0 : thread->tid;
    return result;
}

void follow_release(struct follow *follow, struct thread *thread)
{
    if (!thread->held)
        return;
    thread->held = false;
    ends_follow(follow, thread);
    follow->owner.resuming(follow->owner.owner, thread->tid);
    resume_freely(thread->tid, thread);
}

/* Returns the signal that is to be delivered, or 0. */
static int ask_owner(struct follow *follow, struct thread *thread, int sig)
{
    enum follow_verdict verdict = follow->owner.signalled(follow->owner.owner, thread, sig);
    return verdict == FOLLOW_DELIVER ? sig : 0;
}

/* On the way of a call that it makes for us, a thread is not where its program is. */
static void note_stop(struct follow *follow, struct thread *thread, struct event event)
{
    bool asked = thread->attempt.pending && !thread->remote;
    thread->attempt.pending = false;
    if (asked)
        follow->owner.stopped(follow->owner.owner, thread);
    if (thread->group_stopped && event.kind == EVENT_TRAP)
        follow->owner.continued(follow->owner.owner, thread->process->pid);
    thread->group_stopped = event.kind == EVENT_GROUP_STOP;
}

/* True if the stop was one of a call that the thread makes for us. */
static bool take_remote(struct follow *follow, struct thread *thread, struct event event)
{
    int64_t result;
    enum remote_answer answer = thread->remote ? remote_stopped(thread, event, &result) : REMOTE_ELSEWHERE;
    if (answer == REMOTE_DONE)
        follow->owner.called(follow->owner.owner, thread, result);
    return answer != REMOTE_ELSEWHERE;
}

/* Nothing else that was meant for THREAD comes to anything. */
static void handle_exit(struct follow *follow, struct thread *thread)
{
    thread->attempt.pending = thread->held = false;
    follow->owner.exiting(follow->owner.owner, thread);
    follow->owner.resuming(follow->owner.owner, thread->tid);
    request_resume(thread->tid, 0);
}

static void handle_stop(struct follow *follow, pid_t tid, struct event event)
{
    follow->registers_of = 0;
    if (follow->children && must_wait(follow, tid, event))
        return;
    struct thread *thread = event.kind == EVENT_EXEC ? handle_exec(follow, tid) : follow_adopt(follow, tid, NULL, false);

    if (!thread && event.kind == EVENT_EXEC) { /* a child that had the memory of one that was attached has left it */
        consume(tid);
        request_detach(tid, 0);
        bystanders_remove(&follow->bystanders, tid);
        return;
    }
    if (!thread) {
        resume_unfollowed(follow, tid, event);
        return;
    }
    if (event.kind == EVENT_EXIT) {
        handle_exit(follow, thread);
        return;
    }
    if (event.kind == EVENT_FORK || event.kind == EVENT_VFORK || event.kind == EVENT_CLONE)
        handle_birth(follow, tid);
    note_stop(follow, thread, event);
    bool remote = take_remote(follow, thread, event);
    if (!remote && event.kind == EVENT_SIGNAL)
        event.value = ask_owner(follow, thread, event.value);
    if (!remote && (event.kind != EVENT_SIGNAL || event.value))
        mend(follow, thread, event);
    if (thread->held)
        return;
    ends_follow(follow, thread);
    follow->owner.resuming(follow->owner.owner, tid);
    resume(tid, thread, event);
}

static void dispatch(struct follow *follow, pid_t tid, struct event event)
{
    if (event.kind == EVENT_EXITED || event.kind == EVENT_KILLED)
        handle_end(follow, tid);
    else
        handle_stop(follow, tid, event);
    attach_seen(follow, tid);
}

void follow_sweep(struct follow *follow)
{
    siginfo_t info;
    welcome_orphans(follow, 0);
    for (int patience = SWEEP_PATIENCE; patience; patience--) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOWAIT | WNOHANG | __WALL) < 0 || !info.si_pid)
            return;
        dispatch(follow, info.si_pid, event_decode(info.si_code, info.si_status));
    }
}

bool follow_wait(struct follow *follow, pid_t tid, bool asleep)
{
    siginfo_t info;
    int options = WEXITED | WSTOPPED | WNOWAIT | __WALL | (asleep ? 0 : WNOHANG);
    info.si_pid = 0;
    if (waitid(P_PID, (id_t)tid, &info, options) < 0 || !info.si_pid)
        return false;
    dispatch(follow, tid, event_decode(info.si_code, info.si_status));
    return true;
}
