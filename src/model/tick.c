/* SPDX-License-Identifier: MIT */
#include "model/tick.h"

enum {
    LONGEST_PERIOD_NS = 1000000000,
    EARLY_NS = 3000,            /* a switch takes a moment, and its clock is not the timer's */
    SLACK_NS = 8000,
    FIRST_TYPICAL_NS = 15000,
    LONGEST_TYPICAL_NS = 60000, /* no machine's timers are that late */
};

static uint64_t random_next(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

void tick_start(struct tick_schedule *schedule, uint64_t now_ns, uint64_t period_ns, uint64_t seed)
{
    schedule->period_ns = period_ns;
    schedule->start_ns = now_ns;
    schedule->random = seed;
}

uint64_t tick_random(struct tick_schedule *schedule, uint64_t limit)
{
    return random_next(&schedule->random) % limit;
}

uint64_t tick_next(struct tick_schedule *schedule, uint64_t now_ns, uint64_t *skipped)
{
    uint64_t period = schedule->period_ns;
    *skipped = 0;
    if (now_ns >= schedule->start_ns + period) {
        *skipped = (now_ns - schedule->start_ns) / period;
        schedule->start_ns += *skipped * period;
    }
    uint64_t instant = schedule->start_ns + tick_random(schedule, period);
    schedule->start_ns += period;
    return instant;
}

bool tick_on_time(uint64_t *typical_ns, int64_t late_ns)
{
    uint64_t late = late_ns > 0 ? (uint64_t)late_ns : 0;
    if (!*typical_ns)
        *typical_ns = FIRST_TYPICAL_NS;
    uint64_t step = *typical_ns / 32 + 50;
    if (late > *typical_ns)
        *typical_ns += step;
    else
        *typical_ns -= *typical_ns > 2 * step ? 2 * step : 0;
    if (*typical_ns > LONGEST_TYPICAL_NS)
        *typical_ns = LONGEST_TYPICAL_NS;
    return late_ns > -EARLY_NS && late < *typical_ns + *typical_ns / 2 + SLACK_NS;
}

uint64_t tick_throttle(uint64_t period_ns, uint64_t asked_ns, uint64_t paused_ns, uint64_t running_ns,
                       unsigned percent)
{
    if (!percent || !running_ns)
        return percent ? period_ns : asked_ns;
    /* Aim a little below the limit, so that one correction is enough. */
    double share = 100.0 * (double)paused_ns / (double)running_ns;
    double wanted = (double)period_ns;
    if (share > percent)
        wanted = (double)period_ns * share / (0.9 * percent);
    else if (share < 0.7 * percent)
        wanted = (double)period_ns * (share > 0.1 * percent ? share / (0.85 * percent) : 0.5);
    if (wanted < (double)asked_ns)
        return asked_ns;
    uint64_t longest = asked_ns > LONGEST_PERIOD_NS ? asked_ns : LONGEST_PERIOD_NS;
    return wanted > (double)longest ? longest : (uint64_t)wanted;
}
