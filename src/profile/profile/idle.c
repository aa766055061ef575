/* SPDX-License-Identifier: MIT */
#include "profile/profile/idle.h"

#include "common/model/wait.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An idle thread has this share of its own time in one wait, and this share of the recording. */
enum { LEAST_THREADS = 2, WAIT_PERCENT = 95, RECORDING_PERCENT = 50 };

struct thread_use {
    uint64_t ns;
    uint32_t longest; /* its sample with the longest wait, or PROFILE_NONE */
};

struct candidate {
    uint32_t process, sample;
};

static bool is_lock(const char *name)
{
    static const char *const parts[] = {"mutex", "lll_lock_wait", "rwlock", "spinlock", "lock_contended", "flock"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcasestr(name, parts[i]))
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

static bool has_share(uint64_t part_ns, uint64_t whole_ns, unsigned percent)
{
    return (double)part_ns * 100 >= (double)whole_ns * percent;
}

/* Returns true if nearly all time of a thread is one wait in a system call. */
static bool is_one_wait(const struct profile *profile, const struct thread_use *use)
{
    const struct profile_sample *sample = &profile->samples[use->longest];
    return sample->syscall >= 0 && sample->syscall < WAIT_FIRST && profile->quality.wall_ns &&
           has_share(sample->wait_ns, use->ns, WAIT_PERCENT) &&
           has_share(sample->wait_ns, profile->quality.wall_ns, RECORDING_PERCENT) && !waits_for_lock(profile, sample);
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

static void add_up(const struct profile *profile, struct thread_use *uses)
{
    for (size_t i = 0; i < profile->thread_count; i++)
        uses[i].longest = PROFILE_NONE;
    for (uint32_t i = 0; i < profile->sample_count; i++) {
        struct thread_use *use = &uses[profile->samples[i].thread];
        use->ns += profile_sample_ns(&profile->samples[i]);
        if (use->longest == PROFILE_NONE || profile->samples[i].wait_ns > profile->samples[use->longest].wait_ns)
            use->longest = i;
    }
}

/* Collects the threads with one wait, and counts the OTHERS of each process. Returns the number of FOUND ones. */
static size_t find_candidates(const struct profile *profile, struct thread_use *uses, struct candidate *found,
                              size_t *others)
{
    size_t count = 0;
    add_up(profile, uses);
    for (size_t i = 0; i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        if (uses[i].longest == PROFILE_NONE || thread->estimated)
            continue;
        if (thread->tid && is_one_wait(profile, &uses[i]))
            found[count++] = (struct candidate){thread->process, uses[i].longest};
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
    struct thread_use *uses = calloc(profile->thread_count + 1, sizeof *uses);
    struct candidate *found = calloc(profile->thread_count + 1, sizeof *found);
    size_t *others = calloc(profile->process_count + 1, sizeof *others);
    bool made = uses && found && others;
    if (made)
        fold_groups(profile, found, find_candidates(profile, uses, found, others), others);
    free(uses);
    free(found);
    free(others);
    return made ? 0 : -ENOMEM;
}
