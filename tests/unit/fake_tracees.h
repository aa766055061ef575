/* SPDX-License-Identifier: MIT
 *
 * Fake traced threads for tests of follow/: requests to them are logged, and memory and time are fake. Programs that
 * include this file are linked with --wrap for each function that it replaces. */
#ifndef FAKE_TRACEES_H
#define FAKE_TRACEES_H

#include "fake_proc.h"

#include "tracer/follow/follow.h"
#include "tracer/tracee/request.h"

#include "unit.h"
#include "unit_log.h"

#include <signal.h>
#include <sys/wait.h>

enum { FIRST_TID = 5000000 }; /* larger than any real process number */

/* The kernel's view of a thread. */
struct fake_tracee {
    pid_t tid, pid;
    bool dead, traced, stopped;
    bool making; /* it may be in a fork() that nobody has seen */
    bool ending; /* it is at its exit stop */
};

static struct {
    siginfo_t raw;                /* the next wait status; si_pid 0: none */
    pid_t message;                /* the event message of that status */
    pid_t sharer;                 /* shares its memory with others */
    struct request_sender sender; /* the sender of every signal */
    struct fake_tracee tracees[300];
    size_t tracee_count;
    bool hold, let_go, keep;
    bool killed; /* the next detached thread has been killed in its stop */
    bool exits;  /* the next resumed thread has been killed in its stop, and is at its exit stop */
    bool alone;  /* the ends of processes cannot be awaited */
    bool late;   /* processes that were let go have not ended yet */
    uint64_t now_ns;
    size_t begun, ended, left; /* counts of events for new and ended processes, and of detached threads */
    bool inside;               /* code of follow/ is running */
    size_t allocations, fails; /* their number; the number of the failing one, from 1 on; 0: none */
    bool fails_on;             /* all later ones fail, too */
} fake;

static int short_tid(pid_t tid)
{
    return tid ? (int)(tid - FIRST_TID) : 0;
}

static struct fake_tracee *tracee(pid_t tid)
{
    size_t i = 0;
    while (i < fake.tracee_count && fake.tracees[i].tid != tid)
        i++;
    if (i == UNIT_ROWS(fake.tracees))
        ck_abort_msg("too many threads");
    fake.tracee_count += i == fake.tracee_count;
    fake.tracees[i].tid = tid;
    return &fake.tracees[i];
}

static void forget(pid_t tid)
{
    char path[80];
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    fake_proc_drop(path);
    snprintf(path, sizeof path, "/proc/%d/task/%d", (int)tracee(tid)->pid, (int)tid);
    fake_proc_drop(path);
}

static bool allocation_fails(void)
{
    if (!fake.inside)
        return false;
    fake.allocations++;
    return fake.fails && (fake.fails_on ? fake.allocations >= fake.fails : fake.allocations == fake.fails);
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return allocation_fails() ? NULL : __real_calloc(count, size);
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
    return allocation_fails() ? NULL : __real_realloc(old, size);
}

uint64_t __wrap_time_now_ns(void);
uint64_t __wrap_time_now_ns(void)
{
    return fake.now_ns;
}

int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    if (type != P_PID && type != P_ALL)
        ck_abort_msg("waits for something else");
    if (!(options & WNOWAIT)) {
        note("%s %d", options & WEXITED ? "reap" : "take", short_tid((pid_t)id));
        if (options & WEXITED)
            forget((pid_t)id);
        return 0;
    }
    *info = (siginfo_t){.si_signo = 0};
    if (fake.raw.si_pid && (type == P_ALL || (pid_t)id == fake.raw.si_pid))
        *info = fake.raw;
    fake.raw.si_pid = 0;
    return 0;
}

int __wrap_request_seize(pid_t tid, bool follow, bool end);
int __wrap_request_seize(pid_t tid, bool follow, bool end)
{
    if (tracee(tid)->traced || tracee(tid)->dead)
        return -EPERM;
    tracee(tid)->traced = true;
    ck_assert(end);
    note("seize %d%s", short_tid(tid), follow ? " and children" : "");
    return 0;
}

int __wrap_request_interrupt(pid_t tid);
int __wrap_request_interrupt(pid_t tid)
{
    note("interrupt %d", short_tid(tid));
    return 0;
}

static int go_on(const char *how, pid_t tid, int sig)
{
    tracee(tid)->stopped = false;
    if (sig)
        note("%s %d with %d", how, short_tid(tid), sig);
    else
        note("%s %d", how, short_tid(tid));
    return 0;
}

bool __wrap_request_was_killed(pid_t tid);
bool __wrap_request_was_killed(pid_t tid)
{
    bool exits = fake.exits;
    (void)tid;
    fake.exits = false;
    return exits;
}

int __wrap_request_resume(pid_t tid, int sig);
int __wrap_request_resume(pid_t tid, int sig)
{
    return go_on("resume", tid, sig);
}

int __wrap_request_resume_to_syscall(pid_t tid, int sig);
int __wrap_request_resume_to_syscall(pid_t tid, int sig)
{
    return go_on("resume to syscall", tid, sig);
}

int __wrap_request_listen(pid_t tid);
int __wrap_request_listen(pid_t tid)
{
    return go_on("listen", tid, 0);
}

int __wrap_request_detach(pid_t tid, int sig);
int __wrap_request_detach(pid_t tid, int sig)
{
    if (fake.killed) {
        fake.killed = tracee(tid)->stopped = false;
        tracee(tid)->dead = true;
        return -ESRCH;
    }
    tracee(tid)->traced = false;
    tracee(tid)->dead |= tracee(tid)->ending;
    fake.left += !sig && !tracee(tid)->ending; /* with a signal it is going to die */
    return go_on("detach", tid, sig);
}

int __wrap_request_event_message(pid_t tid, pid_t *message);
int __wrap_request_event_message(pid_t tid, pid_t *message)
{
    (void)tid;
    *message = fake.message;
    return 0;
}

int __wrap_request_sender(pid_t tid, struct request_sender *sender);
int __wrap_request_sender(pid_t tid, struct request_sender *sender)
{
    (void)tid;
    *sender = fake.sender;
    return 0;
}

/* No thread is in a system call. */
int __wrap_request_registers(pid_t tid, struct arch_registers *registers);
int __wrap_request_registers(pid_t tid, struct arch_registers *registers)
{
    (void)tid;
    memset(registers, 0, sizeof *registers);
    arch_set_result(registers, 0);
    registers->user.orig_rax = (unsigned long long)-1;
    return 0;
}

bool __wrap_procfs_is_dead(pid_t pid, pid_t tid);
bool __wrap_procfs_is_dead(pid_t pid, pid_t tid)
{
    (void)pid;
    return tracee(tid)->dead;
}

bool __wrap_procfs_is_dying(pid_t pid, pid_t tid);
bool __wrap_procfs_is_dying(pid_t pid, pid_t tid)
{
    return __wrap_procfs_is_dead(pid, tid);
}

bool __wrap_endings_prepare(struct process *process, pid_t tid);
bool __wrap_endings_prepare(struct process *process, pid_t tid)
{
    (void)tid;
    process->ending.descriptor = -1;
    return !fake.alone;
}

/* Without the thread, a process that was let go has ended at once. */
void __wrap_endings_start(struct endings *endings, _Atomic uint32_t *wake);
void __wrap_endings_start(struct endings *endings, _Atomic uint32_t *wake)
{
    endings->wake = wake;
    endings->events = -1;
}

struct process *__real_endings_next(struct endings *endings);
struct process *__wrap_endings_next(struct endings *endings);
struct process *__wrap_endings_next(struct endings *endings)
{
    return fake.late ? NULL : __real_endings_next(endings);
}

bool __wrap_memory_shared(pid_t one, pid_t other);
bool __wrap_memory_shared(pid_t one, pid_t other)
{
    return one == fake.sharer || other == fake.sharer;
}

#endif
