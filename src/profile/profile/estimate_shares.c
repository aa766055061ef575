/* SPDX-License-Identifier: MIT
 *
 * Divides the unsampled time of a stratum among its samples. */
#include "profile/profile/estimate_parts.h"

#include "common/base/array.h"
#include "common/base/hash.h"
#include "common/base/scale.h"
#include "profile/profile/profile.h"

#include <stdlib.h>

static uint64_t sample_ns(const struct shares *shares, uint32_t sample)
{
    const struct profile_sample *of = &shares->profile->samples[sample];
    return shares->waiting ? of->wait_ns : of->cpu_ns;
}

static uint64_t period_ns(const struct shares *shares, uint32_t sample)
{
    return strata_period_ns(&shares->profile->samples[sample]);
}

static struct shares_thread *thread_of(const struct shares *shares, uint32_t sample)
{
    return &shares->threads[shares->profile->samples[sample].thread];
}

uint64_t shares_unsampled_ns(const struct shares *shares, uint32_t process)
{
    const struct profile_process *of = &shares->profile->processes[process];
    return shares->waiting ? of->unsampled_wait_ns : of->unsampled_ns;
}

static void add_up(struct shares *shares)
{
    const struct profile *profile = shares->profile;
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        struct shares_thread *thread = thread_of(shares, i);
        uint64_t ns = shares->own_ns[i] = sample_ns(shares, i);
        thread->ns += ns;
        thread->period_ns += period_ns(shares, i);
        thread->samples += sample->count;
        for (enum strata_kinship what = 0; what < STRATA_KINSHIPS && !profile->threads[sample->thread].estimated;
             what++) {
            uint32_t kin = shares->strata->kin[what][profile->threads[sample->thread].process];
            if (kin != HASH_NONE)
                shares->kin_ns[what][kin] += ns;
        }
    }
}

bool shares_init(struct shares *shares, const struct profile *profile, const struct strata *strata, bool waiting)
{
    *shares = (struct shares){.profile = profile, .strata = strata, .waiting = waiting};
    shares->own_ns = calloc(profile->sample_count + 1, sizeof *shares->own_ns);
    shares->threads = calloc(profile->thread_count + 1, sizeof *shares->threads);
    bool ready = shares->own_ns && shares->threads;
    for (size_t i = 0; i < STRATA_KINSHIPS; i++) {
        shares->kin_ns[i] = calloc(profile->process_count + 1, sizeof *shares->kin_ns[i]);
        ready = ready && shares->kin_ns[i];
    }
    if (ready)
        add_up(shares);
    return ready;
}

void shares_fini(struct shares *shares)
{
    for (size_t i = 0; i < STRATA_KINSHIPS; i++)
        free(shares->kin_ns[i]);
    free(shares->own_ns);
    free(shares->threads);
    free(shares->donors.items);
}

static bool add_donor(struct shares *shares, uint32_t sample, double weight)
{
    if (!(weight > 0))
        return true;
    if (!ARRAY_RESERVE_ONE(&shares->donors))
        return false;
    shares->donors.items[shares->donors.count++] = (struct shares_donor){sample, weight, 0};
    return true;
}

/* Returns true if SAMPLE's thread is known well enough by its own samples: it is a single thread and ran for long. */
static bool is_long(const struct shares *shares, uint32_t sample)
{
    const struct profile_thread *thread = &shares->profile->threads[shares->profile->samples[sample].thread];
    return thread->tid && shares->profile->processes[thread->process].pid &&
           thread_of(shares, sample)->ns >= shares->strata->long_ns;
}

/* Sums for a stratum, separate for its long and its short threads. */
struct sums {
    uint64_t unsampled_ns;
    double long_ns, long_period_ns, long_tails_ns;
    double short_ns, short_period_ns;
    double long_part_ns, short_part_ns; /* unsampled_ns is divided between long and short threads: their parts */
    double factor;                      /* number of periods that each sample of a short thread represents */
    double wanted_ns;                   /* time that these samples must get beyond their own times */
};

/* Returns SAMPLE's share of its thread's time after the last sample. All shares of a thread add up to the usual
 * distance of two samples. */
static double tail_of(const struct shares *shares, uint32_t sample)
{
    const struct shares_thread *thread = thread_of(shares, sample);
    return thread->samples ? (double)sample_ns(shares, sample) / (double)thread->samples : 0;
}

static void add_sample(const struct shares *shares, uint32_t sample, struct sums *sums)
{
    bool in_long = is_long(shares, sample);
    *(in_long ? &sums->long_ns : &sums->short_ns) += (double)sample_ns(shares, sample);
    *(in_long ? &sums->long_period_ns : &sums->short_period_ns) += (double)period_ns(shares, sample);
    sums->long_tails_ns += in_long ? tail_of(shares, sample) : 0;
}

/* Divides the unsampled time. Long threads get their tails, and any excess over what samples of short threads can
 * represent. Short threads get the rest. */
static void divide(struct sums *sums)
{
    enum { MOST_TIMES = 4 };
    double unsampled_ns = (double)sums->unsampled_ns, all_ns = sums->long_ns + sums->short_ns + unsampled_ns;
    double most = MOST_TIMES * all_ns / (sums->long_period_ns + sums->short_period_ns);
    sums->long_part_ns = sums->long_tails_ns < unsampled_ns ? sums->long_tails_ns : unsampled_ns;
    sums->factor = (sums->short_ns + unsampled_ns - sums->long_part_ns) / sums->short_period_ns;
    if (sums->factor > most && sums->long_tails_ns > 0) {
        sums->factor = most;
        double short_part_ns = most * sums->short_period_ns - sums->short_ns;
        sums->long_part_ns = unsampled_ns - (short_part_ns > 0 ? short_part_ns : 0);
    }
    sums->short_part_ns = unsampled_ns - sums->long_part_ns;
}

/* Returns the time that SAMPLE of a short thread must get beyond its own time. */
static double wanted_of(const struct shares *shares, uint32_t sample, const struct sums *sums)
{
    const struct shares_thread *thread = thread_of(shares, sample);
    double beyond_ns = sums->factor * (double)thread->period_ns - (double)thread->ns;
    return beyond_ns > 0 ? beyond_ns * (double)period_ns(shares, sample) / (double)thread->period_ns : 0;
}

static struct sums sums_of(const struct shares *shares, uint32_t number)
{
    const struct strata *strata = shares->strata;
    struct sums sums = {0};
    for (uint32_t i = strata->processes_from[number]; i < strata->processes_from[number + 1]; i++)
        sums.unsampled_ns += shares_unsampled_ns(shares, strata->processes[i]);
    for (uint32_t i = strata->samples_from[number]; i < strata->samples_from[number + 1]; i++)
        add_sample(shares, strata->samples[i], &sums);
    if (!(sums.short_period_ns > 0))
        return sums;
    divide(&sums);
    for (uint32_t i = strata->samples_from[number]; i < strata->samples_from[number + 1]; i++)
        if (!is_long(shares, strata->samples[i]))
            sums.wanted_ns += wanted_of(shares, strata->samples[i], &sums);
    return sums;
}

/* Weighs by period: each sample of a short thread represents the same number of periods. */
static bool weigh_by_period(struct shares *shares, uint32_t number, const struct sums *sums)
{
    const struct strata *strata = shares->strata;
    bool added = true;
    for (uint32_t i = strata->samples_from[number]; i < strata->samples_from[number + 1] && added; i++) {
        uint32_t sample = strata->samples[i];
        if (is_long(shares, sample))
            added = add_donor(shares, sample, sums->long_part_ns * tail_of(shares, sample) / sums->long_tails_ns);
        else if (sums->wanted_ns > 0)
            added = add_donor(shares, sample, sums->short_part_ns * wanted_of(shares, sample, sums) / sums->wanted_ns);
    }
    return added;
}

/* Weighs by time: each sample represents its billed time. */
static bool weigh_by_time(struct shares *shares, uint32_t number)
{
    const struct strata *strata = shares->strata;
    bool added = true;
    for (uint32_t i = strata->samples_from[number]; i < strata->samples_from[number + 1] && added; i++)
        added = add_donor(shares, strata->samples[i], (double)sample_ns(shares, strata->samples[i]));
    return added;
}

/* Weighs by time the samples of other processes that have the most in common with those of stratum NUMBER. */
static bool weigh_kin(struct shares *shares, uint32_t number)
{
    const struct profile *profile = shares->profile;
    uint32_t like = shares->strata->like[number];
    enum strata_kinship what = 0;
    bool added = true;
    for (; what < STRATA_KINSHIPS; what++) {
        uint32_t kin = shares->strata->kin[what][like];
        if (kin != HASH_NONE && shares->kin_ns[what][kin])
            break;
    }
    for (uint32_t i = 0; i < profile->sample_count && what < STRATA_KINSHIPS && added; i++) {
        const struct profile_thread *thread = &profile->threads[profile->samples[i].thread];
        if (!thread->estimated && shares->strata->kin[what][thread->process] == shares->strata->kin[what][like])
            added = add_donor(shares, i, (double)sample_ns(shares, i));
    }
    return added;
}

/* Returns the part of NS that corresponds to SUM in ALL. */
static uint64_t until(uint64_t ns, double sum, double all)
{
    double part = (double)ns * (sum / all);
    return part < (double)ns ? (uint64_t)part : ns;
}

/* Divides NS among the donors, in whole nanoseconds that add up to NS. */
static void share_out(struct shares *shares, uint64_t ns)
{
    double all = 0, sum = 0;
    uint64_t given_ns = 0;
    for (size_t i = 0; i < shares->donors.count; i++)
        all += shares->donors.items[i].weight;
    for (size_t i = 0; i < shares->donors.count; i++) {
        sum += shares->donors.items[i].weight;
        uint64_t until_ns = i + 1 < shares->donors.count ? until(ns, sum, all) : ns;
        shares->donors.items[i].ns = until_ns - given_ns;
        given_ns = until_ns;
    }
}

/* Spreads the billed time of the short threads of stratum NUMBER over their samples, by period, too. (The first sample
 * of a thread was billed only the time until then.) */
static void spread_own(struct shares *shares, uint32_t number)
{
    const struct strata *strata = shares->strata;
    for (uint32_t i = strata->samples_from[number]; i < strata->samples_from[number + 1]; i++) {
        uint32_t sample = strata->samples[i];
        struct shares_thread *thread = thread_of(shares, sample);
        if (is_long(shares, sample) || !thread->period_ns)
            continue;
        thread->passed_ns += period_ns(shares, sample);
        uint64_t until_ns = scale_share(thread->ns, thread->passed_ns, thread->period_ns);
        shares->own_ns[sample] = until_ns - thread->given_ns;
        thread->given_ns = until_ns;
    }
}

bool shares_find(struct shares *shares, uint32_t number)
{
    const struct sums sums = sums_of(shares, number);
    bool by_period = !shares->waiting && sums.short_period_ns > 0, found = true;
    shares->donors.count = 0;
    if (!sums.unsampled_ns)
        return true;
    if (by_period) {
        spread_own(shares, number);
        found = weigh_by_period(shares, number, &sums);
    } else {
        found = weigh_by_time(shares, number);
    }
    if (found && !shares->donors.count)
        found = weigh_kin(shares, number);
    if (found)
        share_out(shares, sums.unsampled_ns);
    return found;
}
