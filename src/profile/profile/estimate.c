/* SPDX-License-Identifier: MIT */
#include "profile/profile/estimate.h"

#include "common/base/array.h"
#include "common/base/hash.h"
#include "common/base/scale.h"
#include "profile/profile/estimate_parts.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A process of the present stratum: the time without samples, and the time that its own samples can represent. */
struct taker {
    uint64_t lacks_ns, own_ns;
    uint64_t seen_ns, taken_ns; /* of its own samples */
};

struct estimating {
    struct profile *profile;
    struct strata strata;
    struct shares shares[2];                       /* running, waiting */
    struct taker *takers;                          /* by process */
    uint32_t *threads;                             /* for each process, its thread for estimated time, or
                                                    * PROFILE_NONE */
    size_t sample_count, sample_room, thread_room; /* the first: unchanged */
    struct {
        uint32_t *items; /* for each added sample, the sample that it copies */
        size_t count, room;
    } copies;
};

/* Returns the thread of PROCESS for estimated time, or PROFILE_NONE if memory runs out. */
static uint32_t thread_of(struct estimating *estimating, uint32_t process)
{
    struct profile *profile = estimating->profile;
    uint32_t *thread = &estimating->threads[process];
    if (*thread != PROFILE_NONE)
        return *thread;
    char *comm = strdup(profile->processes[process].comm);
    if (!comm || !array_reserve_((void **)&profile->threads, &estimating->thread_room, profile->thread_count + 1,
                                 sizeof *profile->threads)) {
        free(comm);
        return PROFILE_NONE;
    }
    profile->threads[profile->thread_count] =
        (struct profile_thread){.process = process, .comm = comm, .estimated = true};
    return *thread = (uint32_t)profile->thread_count++;
}

/* Adds a copy of SAMPLE to PROCESS: NS, running or WAITING, were spent there. */
static bool add_copy(struct estimating *estimating, uint32_t process, uint32_t sample, uint64_t ns, bool waiting)
{
    struct profile *profile = estimating->profile;
    uint32_t thread = ns ? thread_of(estimating, process) : 0;
    if (!ns)
        return true;
    if (thread == PROFILE_NONE || !ARRAY_RESERVE_ONE(&estimating->copies) ||
        !array_reserve_((void **)&profile->samples, &estimating->sample_room, profile->sample_count + 1,
                        sizeof *profile->samples))
        return false;
    struct profile_sample copy = profile->samples[sample];
    copy.thread = thread;
    copy.count = copy.period_ns = 0;
    copy.cpu_ns = waiting ? 0 : ns;
    copy.wait_ns = waiting ? ns : 0;
    profile->samples[profile->sample_count++] = copy;
    estimating->copies.items[estimating->copies.count++] = sample;
    return true;
}

static struct taker *taker_of(struct estimating *estimating, uint32_t sample)
{
    const struct profile *profile = estimating->profile;
    return &estimating->takers[profile->threads[profile->samples[sample].thread].process];
}

/* First gives a process the time that its own samples can represent, the same share of each. */
static bool give_own(struct estimating *estimating, struct shares *shares)
{
    const struct profile *profile = estimating->profile;
    bool added = true;
    for (size_t i = 0; i < shares->donors.count; i++)
        taker_of(estimating, shares->donors.items[i].sample)->own_ns += shares->donors.items[i].ns;
    for (size_t i = 0; i < shares->donors.count && added; i++) {
        struct shares_donor *donor = &shares->donors.items[i];
        struct taker *taker = taker_of(estimating, donor->sample);
        if (!donor->ns || !taker->lacks_ns)
            continue;
        uint64_t most_ns = taker->lacks_ns < taker->own_ns ? taker->lacks_ns : taker->own_ns;
        taker->seen_ns += donor->ns;
        uint64_t until_ns = scale_share(most_ns, taker->seen_ns, taker->own_ns), ns = until_ns - taker->taken_ns;
        taker->taken_ns = until_ns;
        donor->ns -= ns;
        added = add_copy(estimating, profile->threads[profile->samples[donor->sample].thread].process, donor->sample,
                         ns, shares->waiting);
    }
    return added;
}

/* Distributes the donors' times, in order, to the processes that lack time, in order. This makes at most as many
 * copies as there are donors and processes together. */
static bool give_remainder(struct estimating *estimating, struct shares *shares, uint32_t number)
{
    const struct strata *strata = &estimating->strata;
    size_t at = 0;
    bool added = true;
    for (uint32_t i = strata->processes_from[number]; i < strata->processes_from[number + 1] && added; i++) {
        uint32_t process = strata->processes[i];
        struct taker *taker = &estimating->takers[process];
        taker->lacks_ns -= taker->taken_ns;
        while (taker->lacks_ns && at < shares->donors.count && added) {
            struct shares_donor *donor = &shares->donors.items[at];
            uint64_t ns = donor->ns < taker->lacks_ns ? donor->ns : taker->lacks_ns;
            added = add_copy(estimating, process, donor->sample, ns, shares->waiting);
            donor->ns -= ns;
            taker->lacks_ns -= ns;
            at += !donor->ns;
        }
    }
    return added;
}

static void forget_takers(struct estimating *estimating, const struct shares *shares)
{
    for (size_t i = 0; i < shares->donors.count; i++)
        *taker_of(estimating, shares->donors.items[i].sample) = (struct taker){0};
}

static bool give(struct estimating *estimating, struct shares *shares, uint32_t number)
{
    const struct strata *strata = &estimating->strata;
    struct profile *profile = estimating->profile;
    if (!shares_find(shares, number))
        return false;
    if (!shares->donors.count)
        return true;
    forget_takers(estimating, shares);
    for (uint32_t i = strata->processes_from[number]; i < strata->processes_from[number + 1]; i++) {
        uint32_t process = strata->processes[i];
        estimating->takers[process] = (struct taker){.lacks_ns = shares_unsampled_ns(shares, process)};
    }
    bool given = give_own(estimating, shares) && give_remainder(estimating, shares, number);
    for (uint32_t i = strata->processes_from[number]; i < strata->processes_from[number + 1]; i++) {
        struct profile_process *process = &profile->processes[strata->processes[i]];
        *(shares->waiting ? &process->unsampled_wait_ns : &process->unsampled_ns) = 0;
    }
    return given;
}

static bool give_all(struct estimating *estimating)
{
    bool given = true;
    for (size_t kind = 0; kind < 2; kind++)
        for (uint32_t i = 0; i < estimating->strata.count && given; i++)
            given = give(estimating, &estimating->shares[kind], i);
    return given;
}

/* Sets the times of the samples to the part that represents their own threads. The previous times become those of the
 * shares. */
static void set_own_times(struct estimating *estimating)
{
    struct shares *shares = estimating->shares;
    for (size_t i = 0; i < estimating->sample_count; i++) {
        struct profile_sample *sample = &estimating->profile->samples[i];
        uint64_t cpu_ns = sample->cpu_ns, wait_ns = sample->wait_ns;
        sample->cpu_ns = shares[0].own_ns[i];
        sample->wait_ns = shares[1].own_ns[i];
        shares[0].own_ns[i] = cpu_ns;
        shares[1].own_ns[i] = wait_ns;
    }
}

static bool begin(struct estimating *estimating)
{
    struct profile *profile = estimating->profile;
    estimating->sample_count = estimating->sample_room = profile->sample_count;
    estimating->thread_room = profile->thread_count;
    estimating->takers = calloc(profile->process_count + 1, sizeof *estimating->takers);
    estimating->threads = hash_numbers(profile->process_count);
    return estimating->takers && estimating->threads && strata_init(&estimating->strata, profile) &&
           shares_init(&estimating->shares[0], profile, &estimating->strata, false) &&
           shares_init(&estimating->shares[1], profile, &estimating->strata, true);
}

int estimate_apply(struct profile *profile)
{
    struct estimating estimating = {.profile = profile};
    profile->estimated = true;
    if (!profile_all_unsampled_ns(profile) || !profile->sample_count)
        return 0;
    bool done = begin(&estimating) && give_all(&estimating);
    if (done) {
        const uint64_t *const billed_ns[] = {estimating.shares[0].own_ns, estimating.shares[1].own_ns};
        set_own_times(&estimating);
        done = estimate_times(profile, estimating.sample_count, billed_ns, estimating.copies.items);
    }
    for (size_t i = 0; i < 2; i++)
        shares_fini(&estimating.shares[i]);
    strata_fini(&estimating.strata);
    free(estimating.takers);
    free(estimating.threads);
    free(estimating.copies.items);
    return done ? 0 : -ENOMEM;
}
