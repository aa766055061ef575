/* SPDX-License-Identifier: MIT */
#include "tracer/loop/due.h"

#include "common/base/time.h"
#include "common/model/tick.h"
#include "tracer/calls/calls.h"
#include "tracer/clock/blockers.h"
#include "tracer/clock/clock.h"
#include "tracer/clock/picker.h"
#include "tracer/loop/tracer.h"
#include "tracer/tracee/table.h"

#include <stdbool.h>

/* Counts the candidates before number UNTIL that belong to PROCESS and are on CPU; -1: on any CPU. */
static uint32_t earlier(const struct picker *picker, size_t until, const struct process *process, int cpu)
{
    uint32_t count = 0;
    for (size_t i = 0; i < until; i++)
        count += picker->items[i].thread->process == process && (cpu < 0 || picker->items[i].cpu == cpu);
    return count;
}

/* Chooses each CPU on which a process runs with equal probability. */
void due_found(struct tracer *tracer)
{
    const struct picker *picker = &tracer->clock.picker;
    for (size_t i = 0; tracer->calls.active && i < picker->count; i++) {
        const struct candidate *item = &picker->items[i];
        struct process *process = item->thread->process;
        if (!process->calls->active || earlier(picker, i, process, item->cpu))
            continue;
        uint32_t others = earlier(picker, i, process, -1);
        if (tick_random(&tracer->clock.ticker.schedule, others + 1) == 0)
            process->calls->cpu = item->cpu;
    }
}

/* Returns the process with the earliest deadline for a look, or NULL. Quiet processes do not count: their timers report
 * them. */
static struct process *next_process(struct tracer *tracer, uint64_t now_ns)
{
    const struct table *table = &tracer->follow.table;
    struct process *next = NULL;
    for (size_t i = 0; tracer->calls.active && i < table->process_count; i++) {
        struct process *process = table->processes[i];
        if (!process->calls->active || !process->clock->active)
            continue;
        uint64_t look_ns = calls_look_ns(&tracer->calls, process, now_ns);
        if (!next || look_ns < next->calls->due.look_ns)
            next = process;
    }
    return next;
}

void due_look(struct tracer *tracer, uint64_t now_ns)
{
    if (!tracer->calls_astray_ns || now_ns < tracer->calls_astray_ns)
        return;
    tracer->calls_astray_ns = 0;
    if (clock_look(&tracer->clock, now_ns, true))
        due_found(tracer);
}

void due_plan_look(struct tracer *tracer)
{
    if (!tracer->calls.active && !tracer->calls_planned)
        return;
    uint64_t now_ns = time_now_ns();
    const struct blocker *due = blockers_next(&tracer->clock.blockers);
    if ((due && due->next_ns <= now_ns) || (tracer->calls_astray_ns && tracer->calls_astray_ns <= now_ns))
        return; /* the other look comes first */
    const struct process *next = next_process(tracer, now_ns);
    uint64_t look_ns = next ? next->calls->due.look_ns : 0;
    bool taken = blockers_request(&tracer->clock.blockers, next ? next->calls->cpu : -1, look_ns);
    tracer->calls_astray_ns = taken ? 0 : look_ns;
    tracer->calls_planned = look_ns;
}
