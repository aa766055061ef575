/* SPDX-License-Identifier: MIT
 *
 * The timestamps of samples whose time the estimate has changed, and of their copies. */
#include "profile/profile/estimate_parts.h"

#include "common/base/scale.h"
#include "profile/profile/instants.h"
#include "profile/profile/profile.h"

#include <stdlib.h>

/* A sample: how much of its billed time was visited, and how much its copies have received. */
struct source {
    uint64_t copied_ns, passed_ns, given_ns;
    uint32_t next;    /* the copy being filled, */
    uint64_t left_ns; /* and the time that it still needs */
};

struct filling {
    struct profile *profile;
    size_t sample_count;
    const uint64_t *billed_ns;
    bool waiting;
    uint32_t *next_copy; /* for each added sample: the next copy of the same sample, or none */
    struct source *sources;
    struct instants *kept;
};

static uint64_t *time_of(bool waiting, uint64_t *cpu_ns, uint64_t *wait_ns)
{
    return waiting ? wait_ns : cpu_ns;
}

static uint64_t sample_ns(const struct filling *filling, uint32_t sample)
{
    struct profile_sample *of = &filling->profile->samples[sample];
    return *time_of(filling->waiting, &of->cpu_ns, &of->wait_ns);
}

/* Chains the copies of each sample in their order. */
static bool chain(struct filling *filling, const uint32_t *copy_of)
{
    size_t count = filling->profile->sample_count, first = filling->sample_count;
    filling->sources = calloc(first + 1, sizeof *filling->sources);
    filling->next_copy = malloc((count - first + 1) * sizeof *filling->next_copy);
    if (!filling->sources || !filling->next_copy)
        return false;
    for (size_t i = 0; i < first; i++)
        filling->sources[i].next = PROFILE_NONE;
    for (size_t i = count; i-- > first;) {
        struct source *source = &filling->sources[copy_of[i - first]];
        uint64_t ns = sample_ns(filling, (uint32_t)i);
        if (!ns)
            continue;
        source->copied_ns += ns;
        filling->next_copy[i - first] = source->next;
        source->next = (uint32_t)i;
        source->left_ns = ns;
    }
    return true;
}

static void append_instant(struct filling *filling, const struct instant *like, uint32_t sample, uint64_t count,
                           uint64_t ns)
{
    struct instant part = {.time_ns = like->time_ns, .sample = sample, .count = count};
    *time_of(filling->waiting, &part.cpu_ns, &part.wait_ns) = ns;
    instants_add(filling->kept, &part);
}

/* Gives NS of INSTANT to the copies of its sample, one after the other. */
static void fill(struct filling *filling, struct source *source, const struct instant *instant, uint64_t ns)
{
    while (ns && source->next != PROFILE_NONE) {
        uint64_t part_ns = ns < source->left_ns ? ns : source->left_ns;
        append_instant(filling, instant, source->next, 0, part_ns);
        ns -= part_ns;
        source->left_ns -= part_ns;
        if (source->left_ns)
            return;
        source->next = filling->next_copy[source->next - filling->sample_count];
        source->left_ns = source->next == PROFILE_NONE ? 0 : sample_ns(filling, source->next);
    }
}

static void spread_instant(struct filling *filling, const struct instant *instant)
{
    struct source *source = &filling->sources[instant->sample];
    uint64_t billed_ns = filling->billed_ns[instant->sample];
    uint64_t ns = filling->waiting ? instant->wait_ns : instant->cpu_ns;
    if (ns > billed_ns - source->passed_ns)
        ns = billed_ns - source->passed_ns;
    uint64_t own_ns = billed_ns ? scale_share(sample_ns(filling, instant->sample), ns, billed_ns) : 0;
    if (instant->count || own_ns)
        append_instant(filling, instant, instant->sample, instant->count, own_ns);
    source->passed_ns += ns;
    uint64_t until_ns = billed_ns ? scale_share(source->copied_ns, source->passed_ns, billed_ns) : 0;
    fill(filling, source, instant, until_ns - source->given_ns);
    source->given_ns = until_ns;
}

static void spread_instants(struct filling fillings[2])
{
    struct instants_reader reader;
    struct instant instant;
    instants_read(&reader, &fillings->profile->instants);
    while (instants_next(&reader, &instant))
        spread_instant(&fillings[instant.wait_ns != 0], &instant);
}

bool estimate_times(struct profile *profile, size_t sample_count, const uint64_t *const billed_ns[2],
                    const uint32_t *copy_of)
{
    struct instants kept = {.count = 0};
    struct filling fillings[2];
    bool ready = true;
    for (size_t i = 0; i < 2; i++) {
        fillings[i] = (struct filling){profile, sample_count, billed_ns[i], i == 1, NULL, NULL, &kept};
        ready = chain(&fillings[i], copy_of) && ready;
    }
    if (ready) {
        spread_instants(fillings);
        if (profile->instants.until_ns)
            instants_lack(&kept, profile->instants.until_ns);
        instants_fini(&profile->instants);
        profile->instants = kept;
    }
    for (size_t i = 0; i < 2; i++) {
        free(fillings[i].sources);
        free(fillings[i].next_copy);
    }
    return ready;
}
