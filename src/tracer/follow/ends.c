/* SPDX-License-Identifier: MIT */
#include "tracer/follow/ends.h"

#include "tracer/follow/follow.h"
#include "tracer/tracee/request.h"
#include "tracer/tracee/table.h"

void ends_follow(const struct follow *follow, struct thread *thread)
{
    enum thread_end wanted = thread->process->ends_told ? THREAD_END_TOLD : THREAD_END_UNREPORTED;
    if (thread->end != wanted &&
        request_options(thread->tid, follow->children || follow->births, wanted == THREAD_END_TOLD) == 0)
        thread->end = wanted;
}

void ends_inherit(struct process *child, const struct process *origin)
{
    if (origin->ends_told && child->threads)
        child->threads->end = THREAD_END_UNKNOWN;
}
