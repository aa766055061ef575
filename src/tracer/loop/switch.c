/* SPDX-License-Identifier: MIT */
#include "tracer/loop/switch.h"

#include "common/base/time.h"
#include "common/model/account.h"
#include "common/model/proctext.h"
#include "common/model/wait.h"
#include "tracer/clock/picker.h"
#include "tracer/loop/pace.h"
#include "tracer/loop/times.h"
#include "tracer/loop/tracer.h"
#include "tracer/loop/waits.h"
#include "tracer/tracee/cpu_clock.h"
#include "tracer/tracee/table.h"

static void switch_off(struct tracer *tracer, struct process *process)
{
    account_off(&process->clock->account, cpu_clock_ns(process));
    for (struct thread *thread = process->threads; tracer->options.wall && thread; thread = thread->next)
        waits_thread_ends(tracer, thread);
}

/* Time that threads ran or waited while sampling was off does not count. */
static void switch_on(struct tracer *tracer, struct process *process, uint64_t now_ns)
{
    struct schedstat now;
    account_on(&process->clock->account, cpu_clock_ns(process));
    times_begin(tracer, process);
    process->own->wait.clock_ns = UINT64_MAX;
    for (struct thread *thread = process->threads; thread; thread = thread->next) {
        if (!picker_schedstat(thread, &now))
            continue;
        account_look(&thread->clock->account, &now);
        thread->clock->account.billed_ns = thread->clock->account.sampled_ns = now.ran_ns;
        thread->own->missed.seen = tracer->clock.missed;
        waits_begin(tracer, thread, now_ns, &now);
    }
    picker_activate(process, now_ns);
}

void switch_sampling(struct tracer *tracer, bool on)
{
    const struct table *table = &tracer->follow.table;
    uint64_t now_ns = time_now_ns();
    if (tracer->off == !on)
        return;
    for (size_t i = 0; i < table->process_count; i++)
        if (on)
            switch_on(tracer, table->processes[i], now_ns);
        else
            switch_off(tracer, table->processes[i]);
    tracer->off = !on;
    tracer->waits_due_ns = 0;
    pace_switch(tracer);
    tracer->window_began_ns = tracer->window_paused_ns = tracer->clock.picker.ran_ns = tracer->clock.wasted_ns = 0;
}
