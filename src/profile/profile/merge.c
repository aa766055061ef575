/* SPDX-License-Identifier: MIT */
#include "profile/profile/merge.h"

#include "common/base/array.h"
#include "common/base/hash.h"
#include "profile/profile/builder.h"
#include "profile/profile/instants.h"
#include "profile/profile/profile.h"

#include <stdlib.h>
#include <string.h>

/* Index in INTO of each part of FROM; PROFILE_NONE until it is needed. */
struct merging {
    struct builder *into;
    const struct profile *from;
    uint32_t *modules, *functions, *files, *locations, *processes, *threads, *samples;
    struct profile_line *lines; /* lines of the present location */
    uint32_t *frames;           /* frames of the present sample */
    size_t line_room, frame_room;
};

static uint32_t module_of(struct merging *merging, uint32_t index)
{
    uint32_t *place = &merging->modules[index];
    if (*place == PROFILE_NONE)
        *place = builder_module(merging->into, &merging->from->modules[index]);
    return *place;
}

static uint32_t function_of(struct merging *merging, uint32_t index)
{
    uint32_t *place = &merging->functions[index];
    if (*place == PROFILE_NONE) {
        struct profile_function function = merging->from->functions[index];
        function.module = module_of(merging, function.module);
        *place = builder_function(merging->into, &function);
    }
    return *place;
}

static uint32_t file_of(struct merging *merging, uint32_t index)
{
    if (index == PROFILE_NONE)
        return PROFILE_NONE;
    uint32_t *place = &merging->files[index];
    if (*place == PROFILE_NONE)
        *place = builder_file(merging->into, merging->from->files[index]);
    return *place;
}

static uint32_t add_location(struct merging *merging, struct profile_location location)
{
    const struct profile_line *lines = location.line_count ? merging->from->lines + location.line_first : NULL;
    if (!array_reserve_((void **)&merging->lines, &merging->line_room, location.line_count, sizeof *merging->lines)) {
        merging->into->failed = true;
        return PROFILE_NONE;
    }
    location.module = module_of(merging, location.module);
    for (uint32_t i = 0; i < location.line_count; i++)
        merging->lines[i] = (struct profile_line){function_of(merging, lines[i].function),
                                                  file_of(merging, lines[i].file), lines[i].line};
    location.function = function_of(merging, location.function);
    return builder_location(merging->into, &location, merging->lines);
}

static uint32_t location_of(struct merging *merging, uint32_t index)
{
    uint32_t *place = &merging->locations[index];
    if (*place == PROFILE_NONE)
        *place = add_location(merging, merging->from->locations[index]);
    return *place;
}

static uint32_t thread_of(struct merging *merging, uint32_t index)
{
    uint32_t *place = &merging->threads[index];
    if (*place == PROFILE_NONE) {
        struct profile_thread thread = merging->from->threads[index];
        thread.process = merging->processes[thread.process];
        *place = builder_thread(merging->into, &thread);
    }
    return *place;
}

/* Adds all processes in their order, even those without samples. */
static void add_processes(struct merging *merging)
{
    for (size_t i = 0; i < merging->from->process_count; i++) {
        struct profile_process process = merging->from->processes[i];
        if (process.module != PROFILE_NONE)
            process.module = module_of(merging, process.module);
        merging->processes[i] = builder_process(merging->into, &process);
    }
}

static uint32_t add_sample(struct merging *merging, const struct profile_sample *sample)
{
    struct profile_sample copy = *sample;
    if (!array_reserve_((void **)&merging->frames, &merging->frame_room, sample->frame_count,
                        sizeof *merging->frames)) {
        merging->into->failed = true;
        return PROFILE_NONE;
    }
    for (uint32_t i = 0; i < sample->frame_count; i++)
        merging->frames[i] = location_of(merging, merging->from->frames[sample->frame_first + i]);
    copy.thread = thread_of(merging, sample->thread);
    return builder_sample(merging->into, &copy, merging->frames);
}

/* Rounds to the precision of profile/instants.h. Otherwise the sum of three profiles would depend on which two are
 * added first. */
static uint64_t in_microseconds(uint64_t ns)
{
    return ns - ns % 1000;
}

uint64_t merge_align(struct builder *builder, uint64_t began_ns)
{
    struct profile *into = builder->profile;
    uint64_t others_ns = in_microseconds(into->quality.began_ns);
    began_ns = in_microseconds(began_ns);
    if (!builder->merged || !began_ns || !others_ns)
        return 0;
    if (began_ns >= others_ns)
        return began_ns - others_ns;
    instants_delay(&into->instants, others_ns - began_ns);
    for (size_t i = 0; i < into->mark_count; i++)
        into->marks[i].time_ns += others_ns - began_ns;
    return 0;
}

static void add_times(struct merging *merging)
{
    const struct profile *from = merging->from;
    struct instants *into = &merging->into->profile->instants;
    uint64_t delay_ns = merge_align(merging->into, from->quality.began_ns);
    struct instants_reader reader;
    struct instant instant;
    instants_read(&reader, &from->instants);
    while (instants_next(&reader, &instant)) {
        instant.time_ns += delay_ns;
        instant.sample = merging->samples[instant.sample];
        instants_add(into, &instant);
    }
    if (from->instants.until_ns)
        instants_lack(into, from->instants.until_ns + delay_ns);
    for (size_t i = 0; i < from->mark_count; i++)
        builder_mark(merging->into, from->marks[i].time_ns + delay_ns, from->marks[i].text);
}

void merge_profile(struct builder *into, const struct profile *from)
{
    struct merging merging = {.into = into, .from = from};
    uint32_t **const maps[] = {&merging.modules,   &merging.functions, &merging.files,  &merging.locations,
                               &merging.processes, &merging.threads,   &merging.samples};
    const size_t counts[] = {from->module_count,  from->function_count, from->file_count,  from->location_count,
                             from->process_count, from->thread_count,   from->sample_count};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        *maps[i] = hash_numbers(counts[i]);
        into->failed |= !*maps[i];
    }
    if (!into->failed)
        add_processes(&merging);
    for (size_t i = 0; i < from->sample_count && !into->failed; i++)
        merging.samples[i] = add_sample(&merging, &from->samples[i]);
    if (!into->failed)
        add_times(&merging);
    if (!into->failed)
        merge_quality(into, &from->quality, from->command);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        free(*maps[i]);
    free(merging.lines);
    free(merging.frames);
}

struct profile *merge_with_base(const struct profile *base, const struct profile *profile)
{
    struct builder builder;
    builder_init(&builder);
    if (base) {
        merge_profile(&builder, base);
        builder_base_ends(&builder);
    }
    merge_profile(&builder, profile);
    return builder_finish(&builder);
}

static uint64_t larger(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* If the rate fell in one recording, this counts for all. Three recordings give the same result in any order. */
static void merge_rates(struct profile_quality *sum, const struct profile_quality *more)
{
    uint32_t last = profile_last_rate(sum), other = profile_last_rate(more);
    uint32_t fell_to = sum->lowest_rate < sum->rate ? sum->lowest_rate : UINT32_MAX;
    if (more->lowest_rate < more->rate && more->lowest_rate < fell_to)
        fell_to = more->lowest_rate;
    sum->last_rate = !last || (other && other < last) ? other : last;
    sum->change_count = 0; /* these belong to one recording */
    if (more->rate > sum->rate)
        sum->rate = more->rate;
    sum->lowest_rate = fell_to < sum->rate ? fell_to : sum->rate;
    if (more->max_overhead > sum->max_overhead)
        sum->max_overhead = more->max_overhead;
}

static void add_quality(struct profile_quality *sum, const struct profile_quality *more)
{
    if (!sum->began_ns || (more->began_ns && more->began_ns < sum->began_ns))
        sum->began_ns = more->began_ns;
    merge_rates(sum, more);
    sum->wall |= more->wall;
    sum->wall_ns += more->wall_ns;
    sum->off_ns += more->off_ns;
    sum->signal = sum->signal ? sum->signal : more->signal;
    sum->samples += more->samples;
    sum->due += more->due;
    for (size_t i = 0; i < PROFILE_COUNTERS; i++)
        sum->counters[i] += more->counters[i];
    sum->pause_median_ns = larger(sum->pause_median_ns, more->pause_median_ns);
    sum->pause_p99_ns = larger(sum->pause_p99_ns, more->pause_p99_ns);
    sum->supervisor_cpu_ns += more->supervisor_cpu_ns;
}

static void merge_command(struct profile *profile, const char *command, bool first)
{
    static const char others[] = " (and others)";
    if (first)
        profile->command = command ? strdup(command) : NULL;
    else if (profile->command && (!command || strcmp(profile->command, command))) {
        size_t length = strlen(profile->command);
        bool told = length >= strlen(others) && !strcmp(profile->command + length - strlen(others), others);
        char *longer = told ? NULL : realloc(profile->command, length + sizeof others);
        if (longer) {
            memcpy(longer + length, others, sizeof others);
            profile->command = longer;
        }
    }
}

void merge_quality(struct builder *into, const struct profile_quality *quality, const char *command)
{
    struct profile_quality *sum = &into->profile->quality;
    const char *early = sum->ended_early ? sum->ended_early : quality->ended_early;
    into->mixed |= into->merged && sum->wall != quality->wall;
    if (into->merged)
        add_quality(sum, quality);
    else
        *sum = *quality;
    sum->ended_early = early ? builder_reason(into, early) : NULL;
    merge_command(into->profile, command, into->merged == 0);
    into->merged++;
}
