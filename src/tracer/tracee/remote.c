/* SPDX-License-Identifier: MIT */
#include "tracer/tracee/remote.h"

#include "common/arch/arch.h"
#include "common/arch/registers.h"
#include "common/model/address_map.h"
#include "common/model/event.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { VDSO_LIMIT = 1 << 16 };

enum remote_step {
    REMOTE_WAITS,  /* at a stop where the call can begin; nothing has been changed */
    REMOTE_SENT,   /* on its way into the call */
    REMOTE_CALLED, /* in the call */
};

struct remote {
    enum remote_step step;
    struct arch_site site;
    struct arch_call call;
    struct arch_registers saved;
};

static int find_site(const struct thread *thread, struct arch_site *site)
{
    const struct address_map *map = &thread->process->map;
    const struct address_range *range = NULL;
    for (size_t i = 0; i < map->count && !range; i++)
        if (!strcmp(map->items[i].path, "[vdso]"))
            range = &map->items[i];
    if (!range || range->end - range->start > VDSO_LIMIT)
        return -ENOENT;
    size_t size = (size_t)(range->end - range->start);
    unsigned char *code = malloc(size);
    int result = code ? memory_read_all(&thread->process->memory, thread->tid, range->start, code, size) : -ENOMEM;
    if (!result && !(thread->process->compat ? arch_find_site_compat : arch_find_site)(code, size, range->start, site))
        result = -ENOENT;
    free(code);
    return result;
}

int remote_prepare(struct thread *thread, const struct arch_call *call)
{
    struct remote *remote = calloc(1, sizeof *remote);
    int result = remote ? find_site(thread, &remote->site) : -ENOMEM;
    if (result) {
        free(remote);
        return result;
    }
    remote->call = *call;
    remote_drop(thread);
    thread->remote = remote;
    return 0;
}

void remote_drop(struct thread *thread)
{
    free(thread->remote);
    thread->remote = NULL;
}

bool remote_is_away(const struct thread *thread)
{
    return thread->remote && thread->remote->step != REMOTE_WAITS;
}

static enum remote_answer finish(struct thread *thread, int64_t with, int64_t *result)
{
    *result = with;
    remote_drop(thread);
    return REMOTE_DONE;
}

/* Starts the call, at the end of execve or at a later stop before the program's first instruction. */
static enum remote_answer send(struct thread *thread, int64_t *result)
{
    struct remote *remote = thread->remote;
    struct arch_trail trail;
    int failed = request_registers(thread->tid, &remote->saved);
    if (failed)
        return finish(thread, failed, result);
    struct arch_registers sent = remote->saved;
    arch_trail(&sent, &trail);
    if (memory_write(&thread->process->memory, thread->tid, trail.address, trail.words, sizeof trail.words) !=
        (ssize_t)sizeof trail.words)
        remote->site.back = ARCH_NO_WAY_BACK;
    arch_send(&sent, &remote->site, &remote->call);
    failed = request_set_registers(thread->tid, &sent);
    if (failed)
        return finish(thread, failed, result);
    remote->step = REMOTE_SENT;
    return REMOTE_GOES_ON;
}

/* Handles a stop before the call. A new image has no signal handlers yet. So after a signal, the thread either ends or
 * continues in the same place. It must then stop once more to begin the call. After a stop of job control it stops
 * anyway. */
static enum remote_answer step_aside(struct thread *thread, struct event event)
{
    struct remote *remote = thread->remote;
    if (remote->step == REMOTE_SENT && !request_set_registers(thread->tid, &remote->saved))
        remote->step = REMOTE_WAITS;
    if (event.kind == EVENT_SIGNAL)
        request_interrupt(thread->tid);
    return REMOTE_ELSEWHERE;
}

static enum remote_answer enter(struct thread *thread, int64_t *result)
{
    struct remote *remote = thread->remote;
    struct arch_registers now;
    if (!request_registers(thread->tid, &now) && arch_enters(&now, &remote->site, &remote->call)) {
        remote->step = REMOTE_CALLED;
        return REMOTE_GOES_ON;
    }
    request_set_registers(thread->tid, &remote->saved);
    return finish(thread, -EIO, result);
}

/* Restores the registers at the end of the call instead of at a later stop. Between the two, the kernel changes only
 * registers of calls that it restarts, and it restarts neither this call nor execve. */
static enum remote_answer leave(struct thread *thread, int64_t *result)
{
    struct arch_registers now;
    int failed = request_registers(thread->tid, &now);
    request_set_registers(thread->tid, &thread->remote->saved);
    return finish(thread, failed ? failed : arch_result(&now), result);
}

enum remote_answer remote_stopped(struct thread *thread, struct event event, int64_t *result)
{
    enum remote_step step = thread->remote->step;
    if (event.kind == EVENT_SIGNAL || event.kind == EVENT_GROUP_STOP)
        return step_aside(thread, event);
    if (event.kind != EVENT_SYSCALL && event.kind != EVENT_TRAP)
        return REMOTE_ELSEWHERE;
    if (step == REMOTE_WAITS)
        return send(thread, result);
    if (event.kind == EVENT_TRAP)
        return REMOTE_GOES_ON; /* a stop that was requested; the call continues */
    return step == REMOTE_SENT ? enter(thread, result) : leave(thread, result);
}
