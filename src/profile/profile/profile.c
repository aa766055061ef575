/* SPDX-License-Identifier: MIT */
#include "profile/profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void profile_free(struct profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->process_count; i++)
        free(profile->processes[i].comm);
    for (size_t i = 0; i < profile->thread_count; i++)
        free(profile->threads[i].comm);
    for (size_t i = 0; i < profile->module_count; i++) {
        free(profile->modules[i].path);
        free(profile->modules[i].build_id);
    }
    for (size_t i = 0; i < profile->function_count; i++) {
        free(profile->functions[i].name);
        free(profile->functions[i].linkage_name);
    }
    free(profile->processes);
    free(profile->threads);
    free(profile->modules);
    free(profile->functions);
    free(profile->locations);
    free(profile->frames);
    free(profile->lines);
    for (size_t i = 0; i < profile->file_count; i++)
        free(profile->files[i]);
    free(profile->files);
    for (size_t i = 0; i < profile->reason_count; i++)
        free(profile->reasons[i]);
    free(profile->reasons);
    for (size_t i = 0; i < profile->mark_count; i++)
        free(profile->marks[i].text);
    free(profile->marks);
    instants_fini(&profile->instants);
    free(profile->samples);
    free(profile->places);
    free(profile->left_ns);
    free(profile->command);
    free(profile);
}

static const char *const cut_names[] = {
    [PROFILE_TRUNCATED] = PROFILE_NAME_TRUNCATED,
    [PROFILE_UNKNOWN] = PROFILE_NAME_UNKNOWN,
    [PROFILE_MERGED] = PROFILE_NAME_MERGED,
};

const char *profile_cut_name(enum profile_cut cut)
{
    return cut_names[cut];
}

enum profile_cut profile_cut_of(const char *name)
{
    for (size_t i = PROFILE_WHOLE + 1; i < sizeof cut_names / sizeof *cut_names; i++)
        if (!strcmp(name, cut_names[i]))
            return (enum profile_cut)i;
    return PROFILE_WHOLE;
}

uint32_t profile_last_rate(const struct profile_quality *quality)
{
    return quality->last_rate ? quality->last_rate : quality->rate;
}

void profile_sample_add(struct profile_sample *sum, const struct profile_sample *more)
{
    sum->count += more->count;
    sum->cpu_ns += more->cpu_ns;
    sum->wait_ns += more->wait_ns;
    sum->period_ns += more->period_ns;
}

const char *profile_module_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

const char *profile_service(const struct profile_process *process, const char *name, char *text, size_t size)
{
    static const char type[] = ".service";
    size_t length = process->unit ? strlen(process->unit) : 0;
    if (length < sizeof type)
        return name;
    snprintf(text, size, "%.*s", (int)(length - (sizeof type - 1)), process->unit);
    return text;
}

/* Defines the function NAME, which adds up VALUE of COUNT items. */
#define SUM(NAME, COUNT, VALUE)                                                                                        \
    uint64_t NAME(const struct profile *profile)                                                                       \
    {                                                                                                                  \
        uint64_t sum = 0;                                                                                              \
        for (size_t i = 0; i < profile->COUNT; i++)                                                                    \
            sum += VALUE;                                                                                              \
        return sum;                                                                                                    \
    }

static bool is_estimated(const struct profile *profile, const struct profile_sample *sample)
{
    return profile->threads[sample->thread].estimated;
}

SUM(profile_cpu_ns, process_count, profile->processes[i].cpu_ns)
SUM(profile_wait_ns, process_count, profile->processes[i].wait_ns)
SUM(profile_all_unsampled_ns, process_count, profile_unsampled_ns(&profile->processes[i]))
SUM(profile_samples, sample_count, profile->samples[i].count)
SUM(profile_estimated_ns, sample_count,
    is_estimated(profile, &profile->samples[i]) ? profile_sample_ns(&profile->samples[i]) : 0)

uint64_t profile_ns(const struct profile *profile)
{
    return profile_cpu_ns(profile) + profile_wait_ns(profile);
}

const char *profile_unsampled_name(const struct profile *profile)
{
    return profile->estimated ? PROFILE_NAME_NO_SAMPLES : PROFILE_NAME_UNSAMPLED;
}

uint64_t profile_whole_ns(const struct profile *profile)
{
    return profile->whole_ns ? profile->whole_ns : profile_ns(profile);
}
