/* SPDX-License-Identifier: MIT
 *
 * Groups processes whose samples represent each other's time. */
#include "profile/profile/estimate_parts.h"

#include "common/base/hash.h"
#include "profile/profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONG_PERIODS = 100, /* a process that ran for this many periods is estimated only from its own samples */
    LEAST_PERIODS = 16, /* a kind of processes that ran for fewer periods is combined with the next kind */
};

struct dividing {
    struct strata *strata;
    const struct profile *profile;
    uint64_t least_ns;
    uint64_t *ns[STRATA_KINSHIPS];     /* CPU time of short processes, by number of their common property */
    uint32_t *of_kin[STRATA_KINSHIPS]; /* their stratum, if any */
};

struct kin {
    enum strata_kinship what;
    uint32_t module;
    const char *comm;
};

uint64_t strata_period_ns(const struct profile_sample *sample)
{
    return sample->period_ns ? sample->period_ns : sample->cpu_ns;
}

/* Returns the average time between two samples. */
static uint64_t mean_period_ns(const struct profile *profile)
{
    uint64_t sum_ns = 0, count = 0;
    for (size_t i = 0; i < profile->sample_count; i++) {
        uint64_t period_ns = strata_period_ns(&profile->samples[i]);
        sum_ns += period_ns;
        count += period_ns ? profile->samples[i].count : 0;
    }
    return count ? sum_ns / count : 0;
}

static bool is_kin(const void *owner, uint32_t number, const void *key)
{
    const struct profile_process *process = &((const struct profile *)owner)->processes[number];
    const struct kin *kin = key;
    return (kin->what == STRATA_NAME || process->module == kin->module) &&
           (kin->what == STRATA_PROGRAM || !strcmp(process->comm, kin->comm));
}

/* Numbers the values of a property by the first process that has the value. */
static bool number_kin(const struct profile *profile, enum strata_kinship what, uint32_t *numbers)
{
    struct hash known = {0};
    bool added = true;
    for (uint32_t i = 0; i < profile->process_count && added; i++) {
        const struct profile_process *process = &profile->processes[i];
        struct kin kin = {what, process->module, process->comm};
        if (what != STRATA_NAME && process->module == PROFILE_NONE)
            continue;
        uint64_t parts[] = {what == STRATA_NAME ? 0 : kin.module,
                            what == STRATA_PROGRAM ? 0 : hash_bytes(kin.comm, strlen(kin.comm))};
        uint64_t value = hash_bytes(parts, sizeof parts);
        numbers[i] = hash_find(&known, value, is_kin, profile, &kin);
        if (numbers[i] != HASH_NONE)
            continue;
        numbers[i] = i;
        added = hash_add(&known, value, i);
    }
    hash_fini(&known);
    return added;
}

static bool is_long(const struct strata *strata, const struct profile_process *process)
{
    return process->pid && process->cpu_ns >= strata->long_ns;
}

static void add_up(struct dividing *dividing, enum strata_kinship what)
{
    const struct profile *profile = dividing->profile;
    for (size_t i = 0; i < profile->process_count; i++) {
        uint32_t number = dividing->strata->kin[what][i];
        if (number != HASH_NONE && !is_long(dividing->strata, &profile->processes[i]))
            dividing->ns[what][number] += profile->processes[i].cpu_ns;
    }
}

/* Assigns processes of an unknown program to the program that ran longest under their name. */
static void guess_programs(struct dividing *dividing)
{
    struct strata *strata = dividing->strata;
    uint32_t *longest = dividing->of_kin[STRATA_NAME];
    const uint64_t *ns = dividing->ns[STRATA_PROGRAM_AND_NAME];
    size_t count = dividing->profile->process_count;
    for (size_t i = 0; i < count; i++) {
        uint32_t *best = &longest[strata->kin[STRATA_NAME][i]], own = strata->kin[STRATA_PROGRAM_AND_NAME][i];
        if (own != HASH_NONE && (*best == HASH_NONE || ns[strata->kin[STRATA_PROGRAM_AND_NAME][*best]] < ns[own]))
            *best = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t best = longest[strata->kin[STRATA_NAME][i]];
        if (strata->kin[STRATA_PROGRAM][i] != HASH_NONE || best == HASH_NONE)
            continue;
        for (enum strata_kinship what = 0; what < STRATA_NAME; what++)
            strata->kin[what][i] = strata->kin[what][best];
    }
    memset(longest, 0xff, count * sizeof *longest);
    memset(dividing->ns[STRATA_PROGRAM_AND_NAME], 0, count * sizeof **dividing->ns);
}

static uint32_t add_stratum(struct strata *strata, uint32_t process)
{
    strata->like[strata->count] = process;
    return (uint32_t)strata->count++;
}

/* Returns the most specific property that PROCESS shares with others that together ran long enough. If there is none,
 * returns the one whose processes ran longest. */
static enum strata_kinship kinship_of(const struct dividing *dividing, uint32_t process)
{
    enum strata_kinship best = STRATA_NAME;
    uint64_t most_ns = 0;
    for (enum strata_kinship what = 0; what < STRATA_KINSHIPS && most_ns < dividing->least_ns; what++) {
        uint32_t number = dividing->strata->kin[what][process];
        if (number == HASH_NONE || dividing->ns[what][number] < most_ns)
            continue;
        most_ns = dividing->ns[what][number];
        best = what;
    }
    return best;
}

static uint32_t stratum_of(struct dividing *dividing, uint32_t process)
{
    struct strata *strata = dividing->strata;
    if (is_long(strata, &dividing->profile->processes[process]))
        return add_stratum(strata, process);
    enum strata_kinship what = kinship_of(dividing, process);
    uint32_t *known = &dividing->of_kin[what][strata->kin[what][process]];
    if (*known == HASH_NONE)
        *known = add_stratum(strata, process);
    return *known;
}

static bool divide(struct dividing *dividing)
{
    struct strata *strata = dividing->strata;
    const struct profile *profile = dividing->profile;
    for (enum strata_kinship what = 0; what < STRATA_KINSHIPS; what++)
        if (!number_kin(profile, what, strata->kin[what]))
            return false;
    add_up(dividing, STRATA_PROGRAM_AND_NAME);
    guess_programs(dividing);
    for (enum strata_kinship what = 0; what < STRATA_KINSHIPS; what++)
        add_up(dividing, what);
    for (uint32_t i = 0; i < profile->process_count; i++)
        if (!profile->processes[i].not_sampled)
            strata->of_process[i] = stratum_of(dividing, i);
    return true;
}

/* Lists the COUNT items by their stratum (STRATUM_OF). FROM has room for the number of strata plus one. */
static void list(uint32_t *items, uint32_t *from, size_t strata, const uint32_t *stratum_of, size_t count)
{
    memset(from, 0, (strata + 1) * sizeof *from);
    for (size_t i = 0; i < count; i++)
        if (stratum_of[i] != PROFILE_NONE)
            from[stratum_of[i]]++;
    for (size_t i = 0, sum = 0; i <= strata; i++)
        from[i] = (uint32_t)(sum += from[i]);
    for (size_t i = count; i-- > 0;)
        if (stratum_of[i] != PROFILE_NONE)
            items[--from[stratum_of[i]]] = (uint32_t)i;
}

static bool list_all(struct strata *strata, const struct profile *profile)
{
    uint32_t *of_sample = hash_numbers(profile->sample_count);
    strata->processes = hash_numbers(profile->process_count);
    strata->samples = hash_numbers(profile->sample_count);
    strata->processes_from = hash_numbers(strata->count + 1);
    strata->samples_from = hash_numbers(strata->count + 1);
    bool ready = of_sample && strata->processes && strata->samples && strata->processes_from && strata->samples_from;
    for (size_t i = 0; ready && i < profile->sample_count; i++) {
        const struct profile_thread *thread = &profile->threads[profile->samples[i].thread];
        of_sample[i] = thread->estimated ? PROFILE_NONE : strata->of_process[thread->process];
    }
    if (ready) {
        list(strata->processes, strata->processes_from, strata->count, strata->of_process, profile->process_count);
        list(strata->samples, strata->samples_from, strata->count, of_sample, profile->sample_count);
    }
    free(of_sample);
    return ready;
}

bool strata_init(struct strata *strata, const struct profile *profile)
{
    size_t count = profile->process_count;
    uint64_t period_ns = mean_period_ns(profile);
    struct dividing dividing = {.strata = strata, .profile = profile, .least_ns = LEAST_PERIODS * period_ns};
    *strata = (struct strata){.like = hash_numbers(count),
                              .long_ns = period_ns ? LONG_PERIODS * period_ns : UINT64_MAX,
                              .of_process = hash_numbers(count)};
    bool ready = strata->like && strata->of_process;
    for (size_t i = 0; i < STRATA_KINSHIPS; i++) {
        strata->kin[i] = hash_numbers(count);
        dividing.of_kin[i] = hash_numbers(count);
        dividing.ns[i] = calloc(count + 1, sizeof *dividing.ns[i]);
        ready = ready && strata->kin[i] && dividing.of_kin[i] && dividing.ns[i];
    }
    ready = ready && divide(&dividing) && list_all(strata, profile);
    for (size_t i = 0; i < STRATA_KINSHIPS; i++) {
        free(dividing.of_kin[i]);
        free(dividing.ns[i]);
    }
    return ready;
}

void strata_fini(struct strata *strata)
{
    for (size_t i = 0; i < STRATA_KINSHIPS; i++)
        free(strata->kin[i]);
    free(strata->like);
    free(strata->of_process);
    free(strata->processes);
    free(strata->processes_from);
    free(strata->samples);
    free(strata->samples_from);
}
