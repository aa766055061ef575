/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/ending.h"

#include "common/base/array.h"
#include "common/base/priority.h"
#include "common/base/wake.h"
#include "tracer/tracee/cpu_clock.h"
#include "tracer/tracee/procfs.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 16, AT_ONCE = 16 };

/* The event comes once, so nothing else is read from PROCESS by this thread after the end is noted. */
static void note_end(struct endings *endings, struct process *process)
{
    cpu_clock_read(process, &process->ending.last);
    atomic_store(&process->ending.over, true);
    atomic_fetch_add(&endings->over, 1);
}

static void *read_clocks(void *argument)
{
    struct endings *endings = argument;
    struct epoll_event events[AT_ONCE];
    prctl(PR_SET_NAME, "pt-ends", 0, 0, 0);
    priority_request(0);
    for (;;) {
        int count = epoll_wait(endings->events, events, AT_ONCE, -1);
        for (int i = 0; i < count; i++)
            note_end(endings, events[i].data.ptr);
        if (count > 0)
            wake_signal(endings->wake);
        else if (count < 0 && errno != EINTR)
            return NULL;
    }
}

void endings_start(struct endings *endings, _Atomic uint32_t *wake)
{
    endings->wake = wake;
    endings->events = epoll_create1(EPOLL_CLOEXEC);
    if (endings->events >= 0 && wake_thread(&endings->reader, read_clocks, endings, STACK_BYTES) < 0) {
        close(endings->events);
        endings->events = -1;
    }
}

bool endings_prepare(struct process *process, pid_t tid)
{
    struct process_ending *ending = &process->ending;
    *ending = (struct process_ending){.descriptor = (int)syscall(SYS_pidfd_open, process->pid, 0)};
    cpu_clock_read(process, &ending->stopped);
    ending->pages = procfs_resident(process->pid, tid);
    return ending->descriptor >= 0;
}

void endings_cancel(struct process *process)
{
    if (process->ending.descriptor >= 0)
        close(process->ending.descriptor);
    process->ending = (struct process_ending){.descriptor = -1};
}

static bool watch(const struct endings *endings, struct process *process)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = process};
    return process->ending.descriptor >= 0 && endings->events >= 0 &&
           epoll_ctl(endings->events, EPOLL_CTL_ADD, process->ending.descriptor, &event) == 0;
}

/* Completes the times of PROCESS, which has ended. A clock that does not reach the time of the stop belongs to another
 * process, which got its number. */
static void complete(struct endings *endings, struct process *process)
{
    struct process_ending *ending = &process->ending;
    const struct cpu_times *stopped = &ending->stopped;
    if (ending->last.all_ns >= stopped->all_ns && ending->last.all_ns) {
        tails_add(&endings->tails, ending->pages, ending->last.all_ns - stopped->all_ns);
    } else {
        uint64_t tail_ns = tails_expect(&endings->tails, ending->pages);
        ending->last = (struct cpu_times){
            .all_ns = stopped->all_ns + tail_ns,
            .user_ns = stopped->user_ns,
            .system_ns = stopped->system_ns + tail_ns,
        };
    }
    if (ending->descriptor >= 0)
        close(ending->descriptor);
    ending->descriptor = -1;
    process->ended_times = &ending->last;
}

bool endings_await(struct endings *endings, struct process *process)
{
    if (!ARRAY_RESERVE_ONE(endings)) {
        complete(endings, process);
        return false;
    }
    endings->items[endings->count++] = process;
    if (!watch(endings, process)) {
        atomic_store(&process->ending.over, true);
        atomic_fetch_add(&endings->over, 1);
    }
    return true;
}

bool endings_any(const struct endings *endings)
{
    return atomic_load(&endings->over) > 0;
}

struct process *endings_next(struct endings *endings)
{
    for (size_t i = 0; endings_any(endings) && i < endings->count; i++) {
        struct process *process = endings->items[i];
        if (!atomic_load(&process->ending.over))
            continue;
        endings->items[i] = endings->items[--endings->count];
        atomic_fetch_sub(&endings->over, 1);
        complete(endings, process);
        return process;
    }
    return NULL;
}
