/* SPDX-License-Identifier: MIT */
#include "profile/profile/idle.h"

#include "common/base/hash.h"
#include "common/model/wait.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_THREADS = 2, ALL_PERCENT = 95 };

struct candidate {
    uint32_t process, sample;
};

static bool is_lock(const char *name)
{
    static const char *const parts[] = {"mutex_lock", "mutex_timedlock", "lll_lock_wait", "rwlock"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static bool waits_for_lock(const struct profile *profile, const struct profile_sample *sample)
{
    for (uint32_t i = 0; i < sample->frame_count; i++) {
        const struct profile_location *location = &profile->locations[profile->frames[sample->frame_first + i]];
        if (is_lock(profile->functions[location->function].name))
            return true;
    }
    return false;
}

/* Returns true if SAMPLE is a wait in a system call for nearly all of the recording. */
static bool is_one_wait(const struct profile *profile, const struct profile_sample *sample)
{
    double all_ns = (double)profile->quality.wall_ns * ALL_PERCENT / 100;
    return sample->syscall >= 0 && sample->syscall < WAIT_FIRST && !sample->cpu_ns && all_ns > 0 &&
           (double)sample->wait_ns >= all_ns && !waits_for_lock(profile, sample);
}

static int compare_stacks(const void *left, const void *right, void *of)
{
    const struct profile *profile = of;
    const struct candidate *a = left, *b = right;
    const struct profile_sample *one = &profile->samples[a->sample], *other = &profile->samples[b->sample];
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (one->syscall != other->syscall || one->frame_count != other->frame_count)
        return one->syscall != other->syscall ? one->syscall - other->syscall
                                              : (one->frame_count < other->frame_count ? -1 : 1);
    return memcmp(profile->frames + one->frame_first, profile->frames + other->frame_first,
                  one->frame_count * sizeof *profile->frames);
}

/* Collects the threads that had one wait, with that sample, and counts the OTHERS of each process. LONGEST has room for
 * a sample of each thread. Returns the number of FOUND ones. */
static size_t find_candidates(const struct profile *profile, uint32_t *longest, struct candidate *found, size_t *others)
{
    size_t count = 0;
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        uint32_t *known = &longest[profile->samples[i].thread];
        if (*known == PROFILE_NONE || profile->samples[i].wait_ns > profile->samples[*known].wait_ns)
            *known = i;
    }
    for (size_t i = 0; i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        if (longest[i] == PROFILE_NONE || thread->estimated)
            continue;
        if (thread->tid && is_one_wait(profile, &profile->samples[longest[i]]))
            found[count++] = (struct candidate){thread->process, longest[i]};
        else
            others[thread->process]++;
    }
    qsort_r(found, count, sizeof *found, compare_stacks, (void *)(uintptr_t)profile);
    return count;
}

static void fold_sample(struct profile *profile, struct profile_sample *sample)
{
    sample->frame_first += sample->frame_count - 1;
    sample->frame_count = 1;
    sample->syscall = WAIT_IDLE;
    profile->idle_threads++;
}

/* Folds the groups of equal stacks among the COUNT sorted CANDIDATES. OTHERS: the other threads of each process. */
static void fold_groups(struct profile *profile, const struct candidate *candidates, size_t count, const size_t *others)
{
    size_t end;
    for (size_t first = 0; first < count; first = end) {
        for (end = first + 1; end < count && !compare_stacks(&candidates[first], &candidates[end], profile); end++)
            continue;
        /* folding changes only samples of this group, which are compared no more */
        if (end - first < LEAST_THREADS || !others[candidates[first].process])
            continue;
        for (size_t i = first; i < end; i++)
            fold_sample(profile, &profile->samples[candidates[i].sample]);
    }
}

int idle_fold(struct profile *profile)
{
    uint32_t *longest = hash_numbers(profile->thread_count + 1);
    struct candidate *found = calloc(profile->thread_count + 1, sizeof *found);
    size_t *others = calloc(profile->process_count + 1, sizeof *others);
    bool made = longest && found && others;
    if (made)
        fold_groups(profile, found, find_candidates(profile, longest, found, others), others);
    free(longest);
    free(found);
    free(others);
    return made ? 0 : -ENOMEM;
}
