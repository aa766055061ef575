/* SPDX-License-Identifier: MIT
 *
 * Serves one call: from its arguments to its result. */
#include "common/model/counters.h"
#include "common/semantics/call_state.h"
#include "common/semantics/histogram.h"
#include "tracer/calls/calls.h"
#include "tracer/calls/calls_parts.h"
#include "tracer/tracee/memory.h"
#include "tracer/tracee/table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/time.h>

/* struct prof of <sys/profil.h>, and struct timeval, with the layouts of 64-bit and of 32-bit programs. */
struct program_region {
    uint64_t base, size, offset, scale;
};
struct compat_region {
    uint32_t base, size, offset, scale;
};
struct compat_interval {
    int32_t seconds, microseconds;
};

static int64_t serve_profil(struct calls *calls, struct process *process, pid_t tid,
                            const struct calls_request *request)
{
    const struct semantics *semantics = calls->options.semantics;
    const uint64_t *arguments = request->arguments;
    struct histogram wanted = {.buffer = arguments[0],
                               .size = arguments[1],
                               .offset = arguments[2],
                               .scale = (uint32_t)arguments[3],
                               .is_compat = request->is_compat};
    bool bad = call_profil_checks_buffer(semantics, &wanted) &&
               !memory_writable(&process->memory, tid, wanted.buffer, wanted.size);
    return call_profil(&process->calls->state, semantics, &wanted, bad, calls_ticks(calls, process));
}

static struct histogram read_region(const void *theirs, size_t number, bool is_compat)
{
    if (is_compat) {
        const struct compat_region *compat = (const struct compat_region *)theirs + number;
        return (struct histogram){compat->base, compat->size, compat->offset, compat->scale, true};
    }
    const struct program_region *region = (const struct program_region *)theirs + number;
    return (struct histogram){region->base, region->size, region->offset, region->scale, false};
}

/* Reads COUNT regions. Returns them; the caller frees them. Returns NULL with *RESULT 0 if they cannot be read, or with
 * *RESULT -errno. */
static struct histogram *read_regions(struct process *process, pid_t tid, const struct calls_request *request,
                                      size_t count, int *result)
{
    size_t size = count * (request->is_compat ? sizeof(struct compat_region) : sizeof(struct program_region));
    void *theirs = malloc(size);
    struct histogram *regions = calloc(count, sizeof *regions);
    *result = theirs && regions ? memory_read_all(&process->memory, tid, request->arguments[0], theirs, size) : -ENOMEM;
    for (size_t i = 0; !*result && i < count; i++)
        regions[i] = read_region(theirs, i, request->is_compat);
    free(theirs);
    if (!*result)
        return regions;
    free(regions);
    if (*result == -EFAULT || *result == -ETIMEDOUT)
        *result = 0;
    return NULL;
}

static bool can_write_interval(struct process *process, pid_t tid, uint64_t address, bool is_compat)
{
    size_t size = is_compat ? sizeof(struct compat_interval) : sizeof(struct timeval);
    return memory_writable(&process->memory, tid, address, size);
}

/* Returns false, and writes nothing, if the process cannot write the whole interval. */
static bool write_interval(const struct calls *calls, struct process *process, pid_t tid, uint64_t address,
                           bool is_compat)
{
    struct timeval interval = {1 / calls->options.hz, 1000000 / calls->options.hz % 1000000};
    struct compat_interval compat = {(int32_t)interval.tv_sec, (int32_t)interval.tv_usec};
    const void *bytes = is_compat ? (const void *)&compat : &interval;
    size_t size = is_compat ? sizeof compat : sizeof interval;
    return can_write_interval(process, tid, address, is_compat) &&
           memory_write(&process->memory, tid, address, bytes, size) == (ssize_t)size;
}

static int64_t serve_sprofil(struct calls *calls, struct process *process, pid_t tid,
                             const struct calls_request *request)
{
    const struct semantics *semantics = calls->options.semantics;
    struct call_state *state = &process->calls->state;
    uint64_t interval = request->arguments[2];
    int count = (int)request->arguments[1], result = 0;
    struct histogram *regions = NULL;
    bool first = call_sprofil_writes_first(semantics), writable = true;
    if (interval)
        writable = first ? write_interval(calls, process, tid, interval, request->is_compat)
                         : can_write_interval(process, tid, interval, request->is_compat);
    if (call_sprofil_reads(state, semantics, count))
        regions = read_regions(process, tid, request, (size_t)count, &result);
    if (!result)
        result = call_sprofil(state, semantics, regions, count, (unsigned)request->arguments[3], writable,
                              calls_ticks(calls, process));
    if (interval && !first && !result)
        write_interval(calls, process, tid, interval, request->is_compat);
    free(regions);
    return result;
}

static int64_t serve_pcsample(struct calls *calls, struct process *process, const struct calls_request *request)
{
    unsigned pointer_size = request->is_compat ? sizeof(uint32_t) : sizeof(uint64_t);
    return call_pcsample(&process->calls->state, request->arguments[0], (int64_t)request->arguments[1], pointer_size,
                         calls_ticks(calls, process));
}

int64_t calls_serve(struct calls *calls, struct thread *thread, const struct calls_request *request)
{
    struct process *process = thread->process;
    pid_t tid = thread->tid;
    int64_t result;
    calls_bill(calls, thread, request->pc, CALLS_CALLING);
    process->calls->seen.known = false; /* later ticks belong to another call */
    switch (request->call) {
    case GATE_PROFIL:
        result = serve_profil(calls, process, tid, request);
        break;
    case GATE_SPROFIL:
        result = serve_sprofil(calls, process, tid, request);
        break;
    case GATE_PCSAMPLE:
        result = serve_pcsample(calls, process, request);
        break;
    default:
        return -ENOSYS;
    }
    atomic_fetch_add(&calls->counts->served, 1);
    calls_recount(calls, process);
    return result;
}
