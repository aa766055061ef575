/* SPDX-License-Identifier: MIT
 *
 * A call, from its arguments to its result. */
#include "calls/calls_parts.h"
#include "tracee/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/time.h>

enum { POINTER_SIZE = sizeof(uint64_t) };

/* struct prof of <sys/profil.h>, on a 64-bit machine. */
struct program_region {
    uint64_t base, size, offset, scale;
};

static int64_t serve_profil(struct calls *calls, struct process *process, pid_t tid, const uint64_t *arguments)
{
    const struct semantics *semantics = calls->options.semantics;
    struct histogram wanted = {arguments[0], arguments[1], arguments[2], (uint32_t)arguments[3]};
    bool bad = call_profil_checks_buffer(semantics, &wanted) &&
               !memory_writable(&process->memory, tid, wanted.buffer, wanted.size);
    return call_profil(&process->calls->state, semantics, &wanted, bad, calls_ticks(calls, process));
}

/* Reads COUNT regions. Returns them, malloc'ed, or NULL with *RESULT 0 if they cannot be read, else -errno. */
static struct histogram *read_regions(struct process *process, pid_t tid, uint64_t address, size_t count, int *result)
{
    struct program_region *theirs = calloc(count + 1, sizeof *theirs);
    struct histogram *regions = calloc(count + 1, sizeof *regions);
    *result =
        theirs && regions ? memory_read_all(&process->memory, tid, address, theirs, count * sizeof *theirs) : -ENOMEM;
    for (size_t i = 0; !*result && i < count; i++)
        regions[i] = (struct histogram){theirs[i].base, theirs[i].size, theirs[i].offset, theirs[i].scale};
    free(theirs);
    if (!*result)
        return regions;
    free(regions);
    if (*result == -EFAULT || *result == -ETIMEDOUT)
        *result = 0;
    return NULL;
}

/* False if it cannot be written; then nothing of it is. */
static bool write_interval(const struct calls *calls, struct process *process, pid_t tid, uint64_t address)
{
    struct timeval interval = {1 / calls->options.hz, 1000000 / calls->options.hz % 1000000};
    return memory_writable(&process->memory, tid, address, sizeof interval) &&
           memory_write(&process->memory, tid, address, &interval, sizeof interval) == sizeof interval;
}

static int64_t serve_sprofil(struct calls *calls, struct process *process, pid_t tid, const uint64_t *arguments)
{
    const struct semantics *semantics = calls->options.semantics;
    struct call_state *state = &process->calls->state;
    uint64_t interval = arguments[2];
    int count = (int)arguments[1], result = 0;
    struct histogram *regions = NULL;
    bool first = call_sprofil_writes_first(semantics), writable = true;
    if (interval)
        writable = first ? write_interval(calls, process, tid, interval)
                         : memory_writable(&process->memory, tid, interval, sizeof(struct timeval));
    if (call_sprofil_reads(state, semantics, count))
        regions = read_regions(process, tid, arguments[0], (size_t)count, &result);
    if (!result)
        result = call_sprofil(state, semantics, regions, count, (unsigned)arguments[3], writable,
                              calls_ticks(calls, process));
    if (interval && !first && !result)
        write_interval(calls, process, tid, interval);
    free(regions);
    return result;
}

int64_t calls_serve(struct calls *calls, struct thread *thread, uint64_t call,
                    const uint64_t arguments[static ARCH_ARGUMENTS], uint64_t pc)
{
    struct process *process = thread->process;
    pid_t tid = thread->tid;
    int64_t result;
    calls_bill(calls, thread, pc);
    switch (call) {
    case GATE_PROFIL:
        result = serve_profil(calls, process, tid, arguments);
        break;
    case GATE_SPROFIL:
        result = serve_sprofil(calls, process, tid, arguments);
        break;
    case GATE_PCSAMPLE:
        result = call_pcsample(&process->calls->state, arguments[0], (int64_t)arguments[1], POINTER_SIZE,
                               calls_ticks(calls, process));
        break;
    default:
        return -ENOSYS;
    }
    atomic_fetch_add(&calls->counts->served, 1);
    calls_recount(calls, process);
    return result;
}
