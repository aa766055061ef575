/* SPDX-License-Identifier: MIT
 *
 * Turns what waitid() reports into changes of the table and into events. */
#include "common/model/event.h"
#include "common/model/timeout.h"
#include "common/wire/rescue_notes.h"
#include "tracer/follow/bystanders.h"
#include "tracer/follow/follow.h"
#include "tracer/follow/follow_parts.h"
#include "tracer/restart/files.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/remote.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <sys/wait.h>

int follow_launched(struct follow *follow, pid_t pid)
{
    int result = request_seize(pid, follow->children, true);
    if (result < 0)
        return result;
    struct process *process = table_add_process(&follow->table, pid, 0);
    if (!process || !table_add_thread(&follow->table, process, pid))
        return -ENOMEM;
    process->launching = true;
    follow_tell(follow, (struct follow_event){.kind = FOLLOW_ADDED, .process = process});
    return 0;
}

static void tell_birth(struct follow *follow, struct thread *thread, struct process *origin, bool attached)
{
    struct process *process = thread->process;
    process->attached = attached;
    process->compat = origin && origin->compat;
    process->foreign = origin && origin->foreign;
    follow_tell(follow,
                (struct follow_event){.kind = FOLLOW_BORN, .process = process, .origin = origin, .thread = thread});
}

struct thread *follow_adopt(struct follow *follow, pid_t tid, struct process *origin, bool attached)
{
    pid_t pid, parent;
    struct thread *thread = table_thread(&follow->table, tid);
    if (thread)
        return thread;
    /* A child that has already ended may have been reaped before its parent's event came. */
    if (!procfs_family(tid, &pid, &parent))
        return NULL;
    struct process *process = table_process(&follow->table, pid);
    bool fresh = !process;
    if (fresh && !follow->children)
        return NULL;
    bool room = follow_may_tell(follow);
    if (fresh && room)
        process = table_add_process(&follow->table, pid, parent);
    thread = process && room ? table_add_thread(&follow->table, process, tid) : NULL;
    if (!thread) {
        follow->short_of_memory = true;
        if (fresh && process)
            table_remove_process(&follow->table, process);
        return NULL;
    }
    bystanders_remove(&follow->bystanders, tid); /* if memory was short before, it is a bystander */
    if (fresh)
        tell_birth(follow, thread, origin ? origin : table_process(&follow->table, parent), attached);
    else if (!attached)
        follow_tell(follow, (struct follow_event){.kind = FOLLOW_THREAD_BORN, .thread = thread});
    return thread;
}

static void adopt_child(struct follow *follow, pid_t child, struct process *maker)
{
    pid_t pid, parent;
    if (!newborns_told(follow, child, maker) && !follow_adopt(follow, child, maker, false) &&
        procfs_family(child, &pid, &parent))
        bystanders_add(&follow->bystanders, child);
}

static void hear_birth(struct follow *follow, const struct thread *thread)
{
    pid_t tid = thread->tid, child;
    if (request_event_message(tid, &child))
        return;
    bool fresh = !table_thread(&follow->table, child), apart = files_apart(tid, child);
    adopt_child(follow, child, thread->process);
    files_born(thread->process, table_thread(&follow->table, child), fresh && apart);
}

/* Clears the old state of LEADER, because CALLER has called exec and now has the tid of LEADER. CALLER is NULL if it
 * was unknown. */
static void begin_anew(const struct table *table, struct thread *leader, const struct thread *caller)
{
    if (caller)
        table_take_over(table, leader, caller);
    leader->asked = leader->restarted = leader->held = leader->shielded = false;
    remote_drop(leader);
    rescue_forget_remainder(leader->remainder);
    leader->remainder = NULL;
    leader->timeout = (struct timeout){0};
    leader->trapped.sp = 0;
    thread_close_files(leader);
}

/* Reports the end of all threads except SURVIVOR. If memory for an event is missing, an end goes unreported. */
static void end_others(struct follow *follow, const struct thread *survivor)
{
    for (struct thread *other = survivor->process->threads, *next; other; other = next) {
        next = other->next;
        if (other != survivor && follow_may_tell(follow))
            follow_tell(follow, (struct follow_event){.kind = FOLLOW_THREAD_ENDED, .thread = other});
        else if (other != survivor)
            table_remove_thread(&follow->table, other);
    }
}

void follow_process_ended(struct follow *follow, struct process *process)
{
    if (!process->ended)
        follow_tell(follow, (struct follow_event){.kind = FOLLOW_PROCESS_ENDED, .process = process});
    process->ended = true;
}

/* Stops following PROCESS, which continues, for lack of memory. Reports that as its end. */
static void lose(struct follow *follow, struct process *process)
{
    follow_process_ended(follow, process);
    follow->unreachable += !follow->children; /* otherwise it is counted when it is detached */
}

/* Handles an exec: all other threads are gone, and the thread that called it has the leader's tid. Returns false if the
 * process is not followed. */
static bool hear_exec(struct follow *follow, pid_t tid)
{
    struct thread *leader = table_thread(&follow->table, tid);
    struct process *process = table_process(&follow->table, tid);
    pid_t former = tid;

    /* The leader is unknown if it had ended before its process was attached. */
    if (process && !leader)
        leader = table_add_thread(&follow->table, process, tid);
    /* Consume this stop: if the thread has changed its tid, the kernel answers no request before that. */
    follow_take_stop(tid);
    request_event_message(tid, &former);
    follow->heard_former = former == tid ? 0 : former;
    if (!leader && process)
        lose(follow, process);
    if (!leader)
        return false;
    newborns_orphaned(follow, tid); /* their makers are gone */
    bool asked = leader->asked && former == tid;
    begin_anew(&follow->table, leader, table_thread(&follow->table, former));
    end_others(follow, leader);
    if (process->image)
        follow_tell(follow, (struct follow_event){
                                .kind = FOLLOW_IMAGE_ENDS, .process = process, .thread = leader, .asked = asked});
    follow_tell(follow, (struct follow_event){.kind = FOLLOW_EXEC, .process = process, .thread = leader});
    return true;
}

void follow_thread_ended(struct follow *follow, pid_t tid, struct thread *thread)
{
    newborns_forget(follow, tid);
    newborns_orphaned(follow, tid);
    if (thread)
        follow_tell(follow,
                    (struct follow_event){.kind = FOLLOW_THREAD_ENDED, .thread = thread, .asked = thread->asked});
}

struct thread *follow_leader_beside(const struct thread *thread)
{
    const struct process *process = thread->process;
    struct thread *other = process->threads;
    if (process->thread_count != 2 || thread->tid == process->pid)
        return NULL;
    if (other == thread)
        other = other->next;
    return other->tid == process->pid ? other : NULL;
}

static void hear_end(struct follow *follow, pid_t tid)
{
    struct thread *thread = table_thread(&follow->table, tid);
    struct process *process = thread ? thread->process : NULL;
    struct thread *leader = thread ? follow_leader_beside(thread) : NULL;
    follow_thread_ended(follow, tid, thread);
    if (leader && procfs_is_dead(process->pid, leader->tid)) {
        follow->heard_leader = leader->tid;
        follow_thread_ended(follow, leader->tid, leader);
        follow_process_ended(follow, process);
        return;
    }
    /* The kernel reports a leader's end after all of its threads have ended. A leader that ended before we attached
     * is unknown. */
    if (process && (process->pid == tid || process->thread_count == 1))
        follow_process_ended(follow, process);
}

/* Lets TID go, which is about to end and was never known, or could not be stored. */
static void let_unknown_end(struct follow *follow, pid_t tid)
{
    follow_thread_ended(follow, tid, NULL);
    bystanders_remove(&follow->bystanders, tid);
    request_detach(tid, 0);
}

static void hear_stop(struct follow *follow, pid_t tid, struct event event)
{
    follow->restart.stopped.tid = 0;
    struct thread *thread = table_thread(&follow->table, tid);
    if (!thread && follow->children && newborns_keep(follow, tid, event))
        return;
    if (event.kind == EVENT_EXIT && !thread) {
        let_unknown_end(follow, tid);
        return;
    }
    if (event.kind == EVENT_EXEC && !hear_exec(follow, tid)) {
        follow_let_go(follow, tid, 0); /* after the exec it does not share the memory */
        return;
    }
    if (!thread)
        thread = follow_adopt(follow, tid, NULL, false);
    bool makes = event.kind == EVENT_FORK || event.kind == EVENT_VFORK || event.kind == EVENT_CLONE;
    if (thread && makes)
        hear_birth(follow, thread);
    follow_tell(follow, (struct follow_event){
                            .kind = !thread                    ? FOLLOW_UNFOLLOWED
                                    : event.kind == EVENT_EXIT ? FOLLOW_THREAD_EXITS
                                                               : FOLLOW_STOPPED,
                            .tid = tid,
                            .thread = thread,
                            .stop = event,
                            .sig = event.kind == EVENT_SIGNAL ? event.value : 0,
                        });
}

/* Reports a process that was let go and has ended. */
static bool hear_ending(struct follow *follow)
{
    struct process *process = endings_next(&follow->endings);
    if (process)
        follow_process_ended(follow, process);
    return process;
}

bool follow_hear(struct follow *follow, pid_t tid)
{
    if (!tid && hear_ending(follow))
        return true;
    siginfo_t info = {0};
    if (!tid)
        newborns_orphaned(follow, 0);
    if (waitid(tid ? P_PID : P_ALL, (id_t)tid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL | WNOHANG) < 0 ||
        !info.si_pid)
        return follow->events.count > 0;
    struct event event = event_decode(info.si_code, info.si_status);
    follow->heard = info.si_pid;
    follow->heard_end = event.kind == EVENT_EXITED || event.kind == EVENT_KILLED;
    if (follow->heard_end)
        hear_end(follow, info.si_pid);
    else
        hear_stop(follow, info.si_pid, event);
    return true;
}
