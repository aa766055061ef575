/* SPDX-License-Identifier: MIT */
#include "common/model/tick.h"

enum {
    LONGEST_PERIOD_NS = 1000000000,
    EARLY_NS = 3000, /* a switch takes some time, and its clock is not the timer's */
    SLACK_NS = 8000,
    FIRST_TYPICAL_NS = 15000,
    LONGEST_TYPICAL_NS = 60000, /* no machine's timers are later */
    LEAST_TO_LONGEST = 4,       /* except on emulated machines, where few wake-ups are much earlier than this */
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

void tick_pause(struct tick_schedule *schedule, uint64_t pause_ns)
{
    schedule->start_ns += pause_ns;
}

void tick_begin(struct tick_lateness *usual, uint64_t least_ns)
{
    uint64_t typical_ns = least_ns + least_ns / 2;
    *usual = (struct tick_lateness){typical_ns > FIRST_TYPICAL_NS ? typical_ns : FIRST_TYPICAL_NS, least_ns, true};
}

static void learn_least(struct tick_lateness *usual, uint64_t late_ns)
{
    uint64_t step_ns = usual->least_ns / 128 + 10;
    if (late_ns >= usual->least_ns)
        usual->least_ns += step_ns;
    else
        usual->least_ns -= usual->least_ns > 19 * step_ns ? 19 * step_ns : usual->least_ns;
}

bool tick_on_time(struct tick_lateness *usual, int64_t late_ns)
{
    uint64_t late = late_ns > 0 ? (uint64_t)late_ns : 0;
    if (!usual->known)
        tick_begin(usual, late < FIRST_TYPICAL_NS ? late : FIRST_TYPICAL_NS);
    learn_least(usual, late);
    uint64_t step = usual->typical_ns / 32 + 50;
    uint64_t longest = LEAST_TO_LONGEST * usual->least_ns;
    if (late > usual->typical_ns)
        usual->typical_ns += step;
    else
        usual->typical_ns -= usual->typical_ns > 2 * step ? 2 * step : 0;
    if (longest < LONGEST_TYPICAL_NS)
        longest = LONGEST_TYPICAL_NS;
    if (usual->typical_ns > longest)
        usual->typical_ns = longest;
    return late_ns > -EARLY_NS && late < usual->typical_ns + usual->typical_ns / 2 + SLACK_NS;
}

uint64_t tick_throttle(uint64_t period_ns, uint64_t asked_ns, uint64_t paused_ns, uint64_t running_ns, unsigned percent)
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
