/* SPDX-License-Identifier: MIT */
#include "tracer/loop/pace.h"

#include "common/model/rate.h"
#include "common/wire/channel.h"
#include "common/wire/shared.h"
#include "tracer/loop/tracer.h"
#include "tracer/loop/waits.h"

void pace_begin(struct tracer *tracer)
{
    tracer->pace = (struct pace){.period_ns = rate_period_ns(tracer->options.rate, 0)};
}

void pace_bill(struct tracer *tracer, uint64_t cpu_ns, uint64_t wait_ns)
{
    struct rate_counts *counts = &tracer->channel->shared->counts.rates[tracer->pace.step];
    tracer->pace.cpu_ns += cpu_ns;
    atomic_fetch_add(&counts->sampled_ns, cpu_ns + wait_ns);
}

/* Returns the sampled time. If waiting threads are sampled, a thread that runs little is sampled by wall time, so wall
 * time counts, too. */
static uint64_t sampled_ns(struct tracer *tracer, uint64_t now_ns)
{
    struct pace *pace = &tracer->pace;
    if (!tracer->options.wall)
        return pace->cpu_ns;
    pace->elapsed_ns += pace->looked_ns ? now_ns - pace->looked_ns : 0;
    pace->looked_ns = tracer->off ? 0 : now_ns;
    return pace->elapsed_ns > pace->cpu_ns ? pace->elapsed_ns : pace->cpu_ns;
}

void pace_follow(struct tracer *tracer, uint64_t now_ns)
{
    struct pace *pace = &tracer->pace;
    unsigned step = rate_step(tracer->options.rate, sampled_ns(tracer, now_ns));
    if (step == pace->step)
        return;
    if (tracer->options.wall)
        waits_tell(tracer); /* these waits belong to the last step */
    pace->step = step;
    pace->period_ns = rate_period_ns(tracer->options.rate, step);
    if (tracer->clock.period_ns < pace->period_ns)
        tracer->clock.period_ns = pace->period_ns;
    atomic_store(&tracer->channel->shared->counts.rates[step].began_ns, now_ns);
}

void pace_switch(struct tracer *tracer)
{
    tracer->pace.looked_ns = 0;
}
