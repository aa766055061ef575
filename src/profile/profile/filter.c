/* SPDX-License-Identifier: MIT */
#include "profile/profile/filter_parts.h"

#include "common/model/rank.h"
#include "profile/profile/filter.h"
#include "profile/profile/label.h"
#include "profile/profile/match.h"
#include "profile/profile/profile.h"
#include "programs/interp/languages.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* A list of regular expressions, and for each function of the profile whether one of them matches. */
struct frame_test {
    struct matcher matcher;
    unsigned char *functions;
};

/* State of filtering: facts about the profile's parts, by index. */
struct sieve {
    const struct filter *filter;
    struct profile *profile;
    struct frame_test focus, ignore;
    bool *processes;                          /* a part of the process remains */
    uint32_t *process_places, *thread_places; /* index after filtering */
    uint32_t *sample_places;                  /* index after filtering; PROFILE_NONE: removed */
    uint64_t *sample_ns;                      /* time before the filter */
    uint64_t *left_ns;                        /* for the profile */
};

/* A sample. If SAMPLE and THREAD are NULL: the unsampled time of a process. */
struct subject {
    const struct profile_process *process;
    const struct profile_thread *thread;
    const struct profile_sample *sample;
};

static bool has_number(const struct filter_numbers *numbers, pid_t number)
{
    for (size_t i = 0; i < numbers->count; i++)
        if (numbers->items[i] == number)
            return true;
    return !numbers->count;
}

/* A name that is also a valid pattern, such as "[kernel]", also matches itself. */
static bool is_name(const char *asked, const char *name)
{
    return !strcmp(asked, name) || !fnmatch(asked, name, 0);
}

static bool has_name(const struct filter_names *names, const char *name, const char *other)
{
    for (size_t i = 0; i < names->count; i++)
        if (is_name(names->items[i], name) || is_name(names->items[i], other))
            return true;
    return !names->count;
}

static bool has_rank(const struct filter_names *wanted, const struct profile_rank *rank)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (rank->known && rank_is_in(wanted->items[i], rank->number))
            return true;
    return !wanted->count;
}

static bool match_all(struct frame_test *test, const struct filter_patterns *patterns, const struct profile *profile)
{
    test->matcher = (struct matcher){.patterns = patterns->items, .count = patterns->count};
    test->functions = match_functions(&test->matcher, profile);
    return test->functions;
}

/* Returns false if memory runs out. */
static bool match_lists(struct sieve *sieve)
{
    return match_all(&sieve->focus, &sieve->filter->focus, sieve->profile) &&
           match_all(&sieve->ignore, &sieve->filter->ignore, sieve->profile);
}

static bool location_matches(const struct frame_test *test, const struct profile *profile, uint32_t index)
{
    const struct profile_location *location = &profile->locations[index];
    for (uint32_t i = 0; i < location->line_count; i++)
        if (test->functions[profile->lines[location->line_first + i].function])
            return true;
    return !location->line_count && test->functions[location->function];
}

/* Returns true if a frame of SAMPLE matches. SAMPLE is NULL for unsampled time. */
static bool stack_matches(const struct frame_test *test, const struct profile *profile,
                          const struct profile_sample *sample)
{
    if (!sample)
        return match_name(&test->matcher, profile_unsampled_name(profile));
    if (label_in_syscall(sample) && match_name(&test->matcher, label_syscall(sample->syscall).text))
        return true;
    for (uint32_t i = 0; i < sample->frame_count; i++)
        if (location_matches(test, profile, profile->frames[sample->frame_first + i]))
            return true;
    return sample->cut != PROFILE_WHOLE && match_name(&test->matcher, profile_cut_name((enum profile_cut)sample->cut));
}

/* Returns which of FOCUS and IGNORE exclude SAMPLE. SAMPLE is NULL for unsampled time. */
static unsigned frame_misfits(const struct sieve *sieve, const struct profile_sample *sample)
{
    const struct frame_test *focus = &sieve->focus, *ignore = &sieve->ignore;
    bool unfocused = focus->matcher.count && !stack_matches(focus, sieve->profile, sample);
    bool ignored = ignore->matcher.count && stack_matches(ignore, sieve->profile, sample);
    return (unfocused ? FOCUS : 0) | (ignored ? IGNORE : 0);
}

static bool pid_fits(const struct sieve *sieve, const struct subject *subject)
{
    return has_number(&sieve->filter->pids, subject->process->pid);
}

static bool tid_fits(const struct sieve *sieve, const struct subject *subject)
{
    return subject->thread ? has_number(&sieve->filter->tids, subject->thread->tid) : !sieve->filter->tids.count;
}

static bool comm_fits(const struct sieve *sieve, const struct subject *subject)
{
    const char *comm = subject->process->comm;
    return has_name(&sieve->filter->comms, comm, subject->thread ? subject->thread->comm : comm);
}

static bool rank_fits(const struct sieve *sieve, const struct subject *subject)
{
    return has_rank(&sieve->filter->ranks, &subject->process->rank);
}

static bool module_fits(const struct sieve *sieve, const struct subject *subject)
{
    const struct profile *profile = sieve->profile;
    const struct filter_names *modules = &sieve->filter->modules;
    if (!subject->sample)
        return !modules->count;
    if (label_in_syscall(subject->sample))
        return has_name(modules, LABEL_KERNEL, "");
    const struct profile_location *leaf = &profile->locations[profile->frames[subject->sample->frame_first]];
    const struct profile_module *module = &profile->modules[leaf->module];
    if (has_name(modules, module->name, module->path))
        return true;
    uint32_t script = leaf->line_count && interp_language_of(module->path) != INTERP_NONE
                          ? profile->lines[leaf->line_first].file
                          : PROFILE_NONE;
    if (script == PROFILE_NONE)
        return false;
    const char *path = profile->files[script];
    return has_name(modules, profile_module_name(path), path);
}

static bool time_fits(const struct sieve *sieve, const struct subject *subject)
{
    const struct profile_sample *sample = subject->sample;
    return !sieve->filter->between.count || (sample && (sample->count || profile_sample_ns(sample)));
}

/* Returns the lists that exclude SUBJECT. */
static unsigned misfits_of(const struct sieve *sieve, const struct subject *subject)
{
    static const struct {
        unsigned bit;
        bool (*fits)(const struct sieve *sieve, const struct subject *subject);
    } tests[] = {{PIDS, pid_fits},   {TIDS, tid_fits},       {COMMS, comm_fits},
                 {RANKS, rank_fits}, {MODULES, module_fits}, {BETWEEN, time_fits}};
    unsigned misfits = frame_misfits(sieve, subject->sample);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        misfits |= tests[i].fits(sieve, subject) ? 0 : tests[i].bit;
    return misfits;
}

static unsigned sample_misfits(const struct sieve *sieve, const struct profile_sample *sample)
{
    const struct profile_thread *thread = &sieve->profile->threads[sample->thread];
    return misfits_of(sieve, &(struct subject){&sieve->profile->processes[thread->process], thread, sample});
}

static unsigned unsampled_misfits(const struct sieve *sieve, const struct profile_process *process)
{
    return misfits_of(sieve, &(struct subject){.process = process});
}

/* Adds the subject's time to left_ns of every option before the first one in MISFITS: WHOLE_NS for options before
 * --between, NS for --between and later ones. Returns true if no option excludes it. */
static bool stays(const struct sieve *sieve, unsigned misfits, uint64_t whole_ns, uint64_t ns)
{
    const struct filter_asked *asked = &sieve->filter->asked;
    bool cut = false;
    for (size_t i = 0; i < asked->count && !(misfits & filter_list_of(asked->items[i])); i++) {
        cut |= filter_list_of(asked->items[i]) == BETWEEN;
        sieve->profile->left_ns[i] += cut ? ns : whole_ns;
    }
    return !misfits;
}

static void sift_samples(struct sieve *sieve)
{
    struct profile *profile = sieve->profile;
    size_t kept = 0;
    for (size_t i = 0; i < profile->process_count; i++) {
        struct profile_process *process = &profile->processes[i];
        uint64_t ns = profile_unsampled_ns(process);
        sieve->processes[i] = stays(sieve, unsampled_misfits(sieve, process), ns, ns);
        process->unsampled_ns = sieve->processes[i] ? process->unsampled_ns : 0;
        process->unsampled_wait_ns = sieve->processes[i] ? process->unsampled_wait_ns : 0;
        process->cpu_ns = process->unsampled_ns;
        process->wait_ns = process->unsampled_wait_ns;
    }
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct profile_sample *sample = &profile->samples[i];
        sieve->sample_places[i] = PROFILE_NONE;
        if (!stays(sieve, sample_misfits(sieve, sample), sieve->sample_ns[i], profile_sample_ns(sample)))
            continue;
        sieve->sample_places[i] = (uint32_t)kept;
        uint32_t process = profile->threads[sample->thread].process;
        profile->processes[process].cpu_ns += sample->cpu_ns;
        profile->processes[process].wait_ns += sample->wait_ns;
        sieve->processes[process] = true;
        profile->samples[kept++] = *sample;
    }
    profile->sample_count = kept;
}

static void sift_processes(struct sieve *sieve)
{
    struct profile *profile = sieve->profile;
    size_t kept = 0;
    for (size_t i = 0; i < profile->process_count; i++) {
        sieve->process_places[i] = (uint32_t)kept;
        if (sieve->processes[i])
            profile->processes[kept++] = profile->processes[i];
        else
            free(profile->processes[i].comm);
    }
    profile->process_count = kept;
}

/* Removes threads together with their processes, and updates the samples' indices of threads. */
static void sift_threads(struct sieve *sieve)
{
    struct profile *profile = sieve->profile;
    size_t kept = 0;
    for (size_t i = 0; i < profile->thread_count; i++) {
        struct profile_thread thread = profile->threads[i];
        sieve->thread_places[i] = (uint32_t)kept;
        if (sieve->processes[thread.process]) {
            thread.process = sieve->process_places[thread.process];
            profile->threads[kept++] = thread;
        } else
            free(thread.comm);
    }
    profile->thread_count = kept;
    for (size_t i = 0; i < profile->sample_count; i++)
        profile->samples[i].thread = sieve->thread_places[profile->samples[i].thread];
}

/* Returns true if the filter keeps anything. TIMED: for each sample, whether a part of it is inside the times. */
static bool is_found(const struct sieve *sieve, const bool *timed)
{
    const struct profile *profile = sieve->profile;
    for (size_t i = 0; i < profile->process_count; i++)
        if (!unsampled_misfits(sieve, &profile->processes[i]))
            return true;
    for (size_t i = 0; i < profile->sample_count; i++)
        if ((timed[i] || !sieve->filter->between.count) && !sample_misfits(sieve, &profile->samples[i]))
            return true;
    return false;
}

static void sieve_fini(struct sieve *sieve)
{
    free(sieve->focus.functions);
    free(sieve->ignore.functions);
    free(sieve->processes);
    free(sieve->process_places);
    free(sieve->thread_places);
    free(sieve->sample_places);
    free(sieve->sample_ns);
    free(sieve->left_ns);
}

int filter_finds(const struct filter *filter, struct profile *profile, bool *found)
{
    struct sieve sieve = {.filter = filter, .profile = profile};
    bool *timed = calloc(profile->sample_count + 1, sizeof *timed);
    bool ready = timed && filter_times_find(&filter->between, profile, timed) && match_lists(&sieve);
    *found = ready && is_found(&sieve, timed);
    sieve_fini(&sieve);
    free(timed);
    return ready ? 0 : -ENOMEM;
}

static bool sieve_init(struct sieve *sieve)
{
    const struct profile *profile = sieve->profile;
    sieve->processes = calloc(profile->process_count + 1, sizeof *sieve->processes);
    sieve->process_places = calloc(profile->process_count + 1, sizeof *sieve->process_places);
    sieve->thread_places = calloc(profile->thread_count + 1, sizeof *sieve->thread_places);
    sieve->sample_places = calloc(profile->sample_count + 1, sizeof *sieve->sample_places);
    sieve->sample_ns = calloc(profile->sample_count + 1, sizeof *sieve->sample_ns);
    sieve->left_ns = calloc(sieve->filter->asked.count + 1, sizeof *sieve->left_ns);
    if (!sieve->processes || !sieve->process_places || !sieve->thread_places || !sieve->sample_places ||
        !sieve->sample_ns || !sieve->left_ns)
        return false;
    for (size_t i = 0; i < profile->sample_count; i++)
        sieve->sample_ns[i] = profile_sample_ns(&profile->samples[i]);
    return true;
}

static void sift(struct sieve *sieve, uint64_t whole_ns)
{
    struct profile *profile = sieve->profile;
    free(profile->left_ns);
    profile->left_ns = sieve->left_ns;
    sieve->left_ns = NULL;
    sift_samples(sieve);
    sift_processes(sieve);
    sift_threads(sieve);
    filter_times_move(profile, sieve->sample_places);
    profile->whole_ns = whole_ns;
    if (profile_ns(profile) != whole_ns)
        profile->quality.supervisor_cpu_ns = 0;
}

int filter_apply(const struct filter *filter, struct profile *profile)
{
    struct sieve sieve = {.filter = filter, .profile = profile};
    uint64_t whole_ns = profile_ns(profile);
    bool ready = sieve_init(&sieve) && filter_times_cut(&filter->between, profile) && match_lists(&sieve);
    if (ready)
        sift(&sieve, whole_ns);
    sieve_fini(&sieve);
    return ready ? 0 : -ENOMEM;
}
