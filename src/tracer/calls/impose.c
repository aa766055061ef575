/* SPDX-License-Identifier: MIT
 *
 * Imposes calls on programs that do not make them, as if each program made the call first. */
#include "common/semantics/impose.h"
#include "common/semantics/call_state.h"
#include "common/semantics/histogram.h"
#include "common/wire/message.h"
#include "tracer/calls/calls.h"
#include "tracer/calls/calls_parts.h"
#include "tracer/tracee/procfs.h"
#include "tracer/tracee/remote.h"
#include "tracer/tracee/table.h"

#include <sys/mman.h>
#include <sys/syscall.h>

enum { MAX_ERRNO = 4095 }; /* the highest errno of a system call */

static void report_imposition(struct calls *calls, enum calls_refusal refusal, int error,
                              const struct histogram *arguments)
{
    calls->news.imposed = true;
    calls->news.imposition = (struct calls_imposition){.refusal = refusal, .error = error, .arguments = *arguments};
}

/* Computes the arguments for an image with the map of PROCESS. For pcsample, only the size of its array. */
static bool find_arguments(const struct impose *impose, const struct process *process, struct histogram *arguments)
{
    uint64_t start, end;
    *arguments = (struct histogram){.offset = impose->offset, .size = impose->size, .scale = impose->scale};
    arguments->is_compat = process->compat;
    if (impose->kind == CALL_PCSAMPLE)
        arguments->size = impose->count * impose_pointer_size(arguments);
    if (impose->kind != CALL_PROFIL || !impose->text)
        return true;
    if (!impose_text(&process->map, &start, &end))
        return false;
    impose_cover(start, end, arguments);
    return true;
}

static enum calls_refusal begin(const struct calls *calls, struct thread *thread, int *error)
{
    struct histogram arguments;
    struct arch_call map = {
        .number = SYS_mmap,
        .arguments = {0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, UINT64_MAX, 0},
    };
    if (!procfs_filtered_as_we(thread->tid))
        return CALLS_REFUSED_FILTER;
    if (!find_arguments(&calls->options.impose, thread->process, &arguments))
        return CALLS_REFUSED_TEXT;
    map.arguments[1] = arguments.size;
    *error = -remote_prepare(thread, &map);
    return *error ? CALLS_REFUSED_WAY : CALLS_IMPOSED;
}

bool calls_imposes(const struct calls *calls, const struct process *process)
{
    return process->calls->impose_due && !calls->closing;
}

void calls_impose(struct calls *calls, struct thread *thread)
{
    int error = 0;
    thread->process->calls->impose_due = false;
    enum calls_refusal refusal = begin(calls, thread, &error);
    if (refusal != CALLS_IMPOSED)
        report_imposition(calls, refusal, error, &(struct histogram){0});
}

void calls_called(struct calls *calls, struct thread *thread, int64_t result)
{
    struct process *process = thread->process;
    struct histogram arguments;
    enum calls_refusal refusal = CALLS_REFUSED_MEMORY;
    int64_t failed = result < 0 && result >= -MAX_ERRNO ? result : 0;
    if (calls->closing || !find_arguments(&calls->options.impose, process, &arguments))
        return;
    arguments.buffer = process->compat ? (uint32_t)result : (uint64_t)result;
    if (!failed) {
        failed = impose_call(&process->calls->state, calls->options.semantics, &calls->options.impose, &arguments,
                             calls_ticks(calls, process));
        refusal = failed < 0 ? CALLS_REFUSED_CALL : CALLS_IMPOSED;
    }
    calls_recount(calls, process);
    report_imposition(calls, refusal, failed < 0 ? (int)-failed : 0, &arguments);
}
