/* SPDX-License-Identifier: MIT */
#include "common/model/level.h"

#include "common/base/scale.h"

enum {
    SMOOTHING = 16,   /* about this many samples determine the usual weight, and share the time in the pool */
    PRIOR = 4,        /* samples assumed to have been on time before the first one */
    LATE_NS = 200000, /* a CPU that is not busy in the kernel is taken earlier */
    LONGEST_CALL_NS = 20000000,
};

/* Samples farther apart than this, and than this many usual distances, are not neighbours. */
#define FAR_NS UINT64_C(1000000000)

/* Returns the index in past of the sample BACK before the last one. */
static unsigned before(const struct level *level, unsigned back)
{
    return (level->next + 2 * LEVEL_PAST - 1 - back) % LEVEL_PAST;
}

/* Gives NS from the pool to sample NUMBER of the past. */
static void give(struct level *level, unsigned number, uint64_t ns, struct level_part *parts, size_t *count)
{
    struct level_part *past = &level->past[number];
    if (!ns)
        return;
    parts[(*count)++] = (struct level_part){past->sample, past->time_ns, ns};
    past->ns += ns;
    level->pool_ns -= ns;
}

static void learn(struct level *level, uint64_t weight_ns, uint64_t period_ns)
{
    uint64_t usual_ns = level->usual_ns > period_ns ? level->usual_ns : period_ns;
    unsigned weight = level->samples + PRIOR < SMOOTHING ? ++level->samples + PRIOR : SMOOTHING;
    level->usual_ns = usual_ns - usual_ns / weight + weight_ns / weight;
    if (level->usual_ns < period_ns)
        level->usual_ns = period_ns;
}

static bool is_far(const struct level *level, uint64_t time_ns)
{
    uint64_t last_ns = level->count ? level->past[before(level, 0)].time_ns : 0;
    uint64_t far_ns = SMOOTHING * level->usual_ns > FAR_NS ? SMOOTHING * level->usual_ns : FAR_NS;
    return level->count && time_ns > last_ns && time_ns - last_ns > far_ns;
}

uint64_t level_sample(struct level *level, uint64_t weight_ns, uint64_t own_ns, uint64_t period_ns, uint64_t time_ns,
                      struct level_part parts[LEVEL_PAST], size_t *count)
{
    *count = is_far(level, time_ns) ? level_end(level, parts) : 0;
    learn(level, weight_ns, period_ns);
    level->pool_ns += weight_ns - own_ns;
    uint64_t room_ns = level->usual_ns > own_ns ? level->usual_ns - own_ns : 0;
    uint64_t given_ns = level->pool_ns;
    if (given_ns > room_ns)
        given_ns = room_ns + (given_ns - room_ns) / SMOOTHING;
    level->pool_ns -= given_ns;
    for (unsigned back = 0; back < level->count && level->pool_ns; back++) {
        unsigned number = before(level, back);
        uint64_t has_ns = level->past[number].ns;
        uint64_t lacks_ns = has_ns < level->usual_ns ? level->usual_ns - has_ns : 0;
        give(level, number, scale_smaller(lacks_ns, level->pool_ns), parts, count);
    }
    return given_ns;
}

void level_given(struct level *level, uint32_t sample, uint64_t time_ns, uint64_t ns)
{
    level->past[level->next] = (struct level_part){sample, time_ns, ns};
    level->next = (level->next + 1) % LEVEL_PAST;
    level->count += level->count < LEVEL_PAST;
}

size_t level_end(struct level *level, struct level_part parts[LEVEL_PAST])
{
    size_t count = 0;
    for (unsigned left = level->count; left > 0; left--)
        give(level, before(level, left - 1), level->pool_ns / left, parts, &count);
    level->count = level->next = 0;
    return count;
}

uint64_t level_own(bool in_call, uint64_t late_ns)
{
    return in_call && late_ns > LATE_NS ? LONGEST_CALL_NS : 0;
}
