/* SPDX-License-Identifier: MIT */
#include "profile/filter.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/pattern.h"
#include "model/rank.h"
#include "names/short_name.h"
#include "profile/filter_times.h"
#include "profile/label.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What has been found out of a profile's parts, by index. */
struct sieve {
    const struct filter *filter;
    struct profile *profile;
    unsigned char *functions;                 /* HAS_FOCUS, HAS_IGNORED */
    bool *processes;                          /* something is left of it */
    uint32_t *process_places, *thread_places; /* where it will be then */
    uint32_t *sample_places;                  /* the same; PROFILE_NONE: nowhere */
    uint64_t *sample_ns;                      /* as it was at first */
};

enum { HAS_FOCUS = 1, HAS_IGNORED = 2 };

/* The lists of a filter, by the options that add to them: a bit each. */
enum { FOCUS = 1, IGNORE = 2, PIDS = 4, TIDS = 8, COMMS = 16, MODULES = 32, BETWEEN = 64, RANKS = 128 };

static const struct {
    const char *option;
    unsigned bit;
} lists[] = {
    {"--focus=", FOCUS}, {"--ignore=", IGNORE},  {"--pid=", PIDS},        {"--tid=", TIDS},
    {"--comm=", COMMS},  {"--module=", MODULES}, {"--between=", BETWEEN}, {"--rank=", RANKS},
};

/* That of the option ASKED, as it was given. */
static unsigned bit_of(const char *asked)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!strncmp(asked, lists[i].option, strlen(lists[i].option)))
            return lists[i].bit;
    return 0;
}

void filter_fini(struct filter *filter)
{
    struct filter_patterns *patterns[] = {&filter->focus, &filter->ignore};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        for (size_t at = 0; at < patterns[i]->count; at++)
            regfree(&patterns[i]->items[at]);
        free(patterns[i]->items);
    }
    free(filter->pids.items);
    free(filter->tids.items);
    free(filter->ranks.items);
    free(filter->comms.items);
    free(filter->modules.items);
    free(filter->between.items);
    for (size_t i = 0; i < filter->asked.count; i++)
        free(filter->asked.items[i]);
    free(filter->asked.items);
    memset(filter, 0, sizeof *filter);
}

int filter_add_numbers(struct filter_numbers *numbers, const char *option, const char *text, struct error *error)
{
    const char *at = text;
    do {
        char *end;
        unsigned long number = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        if (!number || number > INT_MAX || (*end && *end != ','))
            return error_set(error, EINVAL, "%s: '%s' is not a list of numbers with commas between them", option, text);
        if (!ARRAY_RESERVE_ONE(numbers))
            return error_set(error, ENOMEM, "out of memory");
        numbers->items[numbers->count++] = (pid_t)number;
        at = *end ? end + 1 : NULL;
    } while (at);
    return 0;
}

int filter_add_name(struct filter_names *names, const char *option, const char *name, struct error *error)
{
    if (!*name)
        return error_set(error, EINVAL, "%s: a name is missing", option);
    if (!ARRAY_RESERVE_ONE(names))
        return error_set(error, ENOMEM, "out of memory");
    names->items[names->count++] = name;
    return 0;
}

int filter_add_ranks(struct filter_names *ranks, const char *option, const char *list, struct error *error)
{
    if (!rank_is_list(list))
        return error_set(error, EINVAL, "%s: '%s' is not a list of ranks such as 0,7,100-131", option, list);
    return filter_add_name(ranks, option, list, error);
}

int filter_add_pattern(struct filter_patterns *patterns, const char *option, const char *text, struct error *error)
{
    if (!ARRAY_RESERVE_ONE(patterns))
        return error_set(error, ENOMEM, "out of memory");
    int result = pattern_compile(&patterns->items[patterns->count], option, text, false, error);
    patterns->count += !result;
    return result;
}

int filter_note(struct filter *filter, const char *option, const char *text, struct error *error)
{
    struct buffer note = {0};
    size_t place = filter->asked.count;
    buffer_printf(&note, "%s=%s", option, text);
    if (note.failed || !ARRAY_RESERVE_ONE(&filter->asked)) {
        buffer_fini(&note);
        return error_set(error, ENOMEM, "out of memory");
    }
    struct filter_asked *asked = &filter->asked;
    size_t at = asked->count++;
    for (size_t i = 0; i < at; i++)
        if (bit_of(asked->items[i]) == bit_of(note.bytes))
            place = i + 1;
    memmove(&asked->items[place + 1], &asked->items[place], (at - place) * sizeof *asked->items);
    asked->items[place] = note.bytes;
    return 0;
}

int filter_add_stretch(struct filter_stretches *stretches, struct filter_stretch stretch, struct error *error)
{
    if (!ARRAY_RESERVE_ONE(stretches))
        return error_set(error, ENOMEM, "out of memory");
    stretches->items[stretches->count++] = stretch;
    return 0;
}

static bool has_number(const struct filter_numbers *numbers, pid_t number)
{
    for (size_t i = 0; i < numbers->count; i++)
        if (numbers->items[i] == number)
            return true;
    return !numbers->count;
}

/* A name that could be read as a pattern of the shell, as "[kernel]", is itself first. */
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

static bool matches(const struct filter_patterns *patterns, const char *name)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (!regexec(&patterns->items[i], name, 0, NULL, 0))
            return true;
    return false;
}

static unsigned char look_at(const struct filter *filter, const char *name)
{
    return (unsigned char)((matches(&filter->focus, name) ? HAS_FOCUS : 0) |
                           (matches(&filter->ignore, name) ? HAS_IGNORED : 0));
}

/* Functions are known by their short names, too. Returns false if memory runs out. */
static bool look_at_function(const struct filter *filter, const struct profile_function *function, unsigned char *found)
{
    struct buffer text = {0};
    *found = look_at(filter, function->name);
    if (!function->linkage_name)
        return true;
    short_name_put(&text, function->name, SHORT_NAME_BARE);
    if (!text.failed)
        *found |= look_at(filter, text.bytes);
    buffer_fini(&text);
    return !text.failed;
}

/* Returns false if memory runs out. */
static bool look_at_functions(struct sieve *sieve)
{
    const struct profile *profile = sieve->profile;
    sieve->functions = calloc(profile->function_count + 1, sizeof *sieve->functions);
    bool ready = sieve->functions;
    for (size_t i = 0; ready && i < profile->function_count; i++)
        ready = look_at_function(sieve->filter, &profile->functions[i], &sieve->functions[i]);
    return ready;
}

/* Which of FOCUS and IGNORE functions with what was FOUND of them do not fit. */
static unsigned misfits_of(const struct filter *filter, unsigned char found)
{
    return (filter->focus.count && !(found & HAS_FOCUS) ? FOCUS : 0) | (found & HAS_IGNORED ? IGNORE : 0);
}

static unsigned char look_at_location(const struct sieve *sieve, uint32_t index)
{
    const struct profile_location *location = &sieve->profile->locations[index];
    unsigned char found = location->line_count ? 0 : sieve->functions[location->function];
    for (uint32_t i = 0; i < location->line_count; i++)
        found |= sieve->functions[sieve->profile->lines[location->line_first + i].function];
    return found;
}

static unsigned frame_misfits(const struct sieve *sieve, const struct profile_sample *sample)
{
    const struct filter *filter = sieve->filter;
    unsigned char found = 0;
    if (!filter->focus.count && !filter->ignore.count)
        return 0;
    if (label_in_syscall(sample))
        found |= look_at(filter, label_syscall(sample->syscall).text);
    for (uint32_t i = 0; i < sample->frame_count; i++)
        found |= look_at_location(sieve, sieve->profile->frames[sample->frame_first + i]);
    if (sample->cut != PROFILE_WHOLE)
        found |= look_at(filter, profile_cut_name((enum profile_cut)sample->cut));
    return misfits_of(filter, found);
}

static bool module_may_stay(const struct sieve *sieve, const struct profile_sample *sample)
{
    const struct profile *profile = sieve->profile;
    uint32_t leaf = profile->locations[profile->frames[sample->frame_first]].module;
    const struct profile_module *module = &profile->modules[leaf];
    if (label_in_syscall(sample))
        return has_name(&sieve->filter->modules, LABEL_KERNEL, "");
    return has_name(&sieve->filter->modules, module->name, module->path);
}

/* The lists that SAMPLE does not fit. */
static unsigned sample_misfits(const struct sieve *sieve, const struct profile_sample *sample)
{
    const struct filter *filter = sieve->filter;
    const struct profile_thread *thread = &sieve->profile->threads[sample->thread];
    const struct profile_process *process = &sieve->profile->processes[thread->process];
    return (has_number(&filter->pids, process->pid) ? 0 : PIDS) | (has_number(&filter->tids, thread->tid) ? 0 : TIDS) |
           (has_name(&filter->comms, process->comm, thread->comm) ? 0 : COMMS) |
           (has_rank(&filter->ranks, &process->rank) ? 0 : RANKS) | (module_may_stay(sieve, sample) ? 0 : MODULES) |
           frame_misfits(sieve, sample) |
           (filter->between.count && !sample->count && !profile_sample_ns(sample) ? BETWEEN : 0);
}

static unsigned unsampled_misfits(const struct sieve *sieve, const struct profile_process *process)
{
    const struct filter *filter = sieve->filter;
    return (has_number(&filter->pids, process->pid) ? 0 : PIDS) | (filter->tids.count ? TIDS : 0) |
           (has_name(&filter->comms, process->comm, process->comm) ? 0 : COMMS) |
           (has_rank(&filter->ranks, &process->rank) ? 0 : RANKS) | (filter->modules.count ? MODULES : 0) |
           (filter->between.count ? BETWEEN : 0) |
           misfits_of(filter, look_at(filter, profile_unsampled_name(sieve->profile)));
}

/* What does not fit the lists MISFITS is left by the options up to the first of these: WHOLE_NS, and NS by --between
 * and those after it. Returns whether it stays. */
static bool stays(const struct sieve *sieve, unsigned misfits, uint64_t whole_ns, uint64_t ns)
{
    const struct filter_asked *asked = &sieve->filter->asked;
    bool cut = false;
    for (size_t i = 0; i < asked->count && !(misfits & bit_of(asked->items[i])); i++) {
        cut |= bit_of(asked->items[i]) == BETWEEN;
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

/* Threads go with their processes; samples are told where theirs are then. */
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

/* TIMED: by sample, if it has a part that was taken in time. */
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

int filter_finds(const struct filter *filter, struct profile *profile, bool *found)
{
    struct sieve sieve = {.filter = filter, .profile = profile};
    bool *timed = calloc(profile->sample_count + 1, sizeof *timed);
    bool ready = timed && filter_times_find(&filter->between, profile, timed) && look_at_functions(&sieve);
    *found = ready && is_found(&sieve, timed);
    free(sieve.functions);
    free(timed);
    return ready ? 0 : -ENOMEM;
}

int filter_apply(const struct filter *filter, struct profile *profile)
{
    struct sieve sieve = {.filter = filter, .profile = profile};
    sieve.processes = calloc(profile->process_count + 1, sizeof *sieve.processes);
    sieve.process_places = calloc(profile->process_count + 1, sizeof *sieve.process_places);
    sieve.thread_places = calloc(profile->thread_count + 1, sizeof *sieve.thread_places);
    sieve.sample_places = calloc(profile->sample_count + 1, sizeof *sieve.sample_places);
    sieve.sample_ns = calloc(profile->sample_count + 1, sizeof *sieve.sample_ns);
    uint64_t ns = profile_ns(profile), *left_ns = calloc(filter->asked.count + 1, sizeof *left_ns);
    bool ready = left_ns && sieve.processes && sieve.process_places && sieve.thread_places && sieve.sample_places &&
                 sieve.sample_ns;
    for (size_t i = 0; ready && i < profile->sample_count; i++)
        sieve.sample_ns[i] = profile_sample_ns(&profile->samples[i]);
    ready = ready && filter_times_cut(&filter->between, profile) && look_at_functions(&sieve);
    if (ready) {
        free(profile->left_ns);
        profile->left_ns = left_ns;
        sift_samples(&sieve);
        sift_processes(&sieve);
        sift_threads(&sieve);
        filter_times_move(profile, sieve.sample_places);
        profile->whole_ns = ns;
        if (profile_ns(profile) != ns)
            profile->quality.supervisor_cpu_ns = 0;
    } else
        free(left_ns);
    free(sieve.functions);
    free(sieve.processes);
    free(sieve.process_places);
    free(sieve.thread_places);
    free(sieve.sample_places);
    free(sieve.sample_ns);
    return ready ? 0 : -ENOMEM;
}
