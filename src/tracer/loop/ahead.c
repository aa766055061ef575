/* SPDX-License-Identifier: MIT */
#include "tracer/loop/ahead.h"

#include "common/base/time.h"
#include "tracer/loop/maps.h"
#include "tracer/loop/stack.h"
#include "tracer/loop/state.h"
#include "tracer/loop/tracer.h"
#include "tracer/tracee/table.h"

void ahead_look(struct tracer *tracer, const struct thread *thread)
{
    const struct attempt *attempt = &thread->own->attempt;
    ahead_end(tracer);
    if (!attempt->record || attempt->place == JUDGE_ELSEWHERE) /* that one was not displaced, and runs on */
        return;
    if (tracer->off || !thread->process->image || !thread->own->last_sp)
        return;
    tracer->ahead.tid = thread->tid;
    maps_look_ahead(thread, time_now_ns(), &tracer->ahead);
    stack_look_ahead(tracer, thread, &tracer->ahead);
}

void ahead_end(struct tracer *tracer)
{
    tracer->ahead.tid = 0;
    tracer->ahead.maps_start = tracer->ahead.maps_end = 0;
    tracer->ahead.pages.count = 0;
}
