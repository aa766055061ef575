/* SPDX-License-Identifier: MIT
 *
 * A stored profile in the format of pprof. It holds all that ptprofil knows, so any other format can be made of it
 * later.
 *
 * Some facts have no field in the public schema. They are stored so that other programs show something sensible. A
 * system call is a frame in a mapping "[kernel]". Each process, in order, has a sample of count 0 with the one frame
 * "[unsampled]": it has the CPU time that no sample represents, which may be 0. An incomplete stack begins with
 * "[truncated]" or "[unknown]". Values are counts and nanoseconds, so they add up exactly. If waiting threads were
 * sampled, wall time (running and waiting) is stored beside CPU time. The base of a comparison has negative values, and
 * is marked as pprof marks it.
 *
 * All texts are valid UTF-8; characters that a terminal should not receive are escaped. Equal profiles give equal
 * files. */
#include "profile/stored/writers.h"

#include "common/base/array.h"
#include "common/model/quality.h"
#include "profile/profile/label.h"
#include "profile/profile/merge.h"
#include "profile/stored/pprof_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LABELS = 12, MOST_VALUES = 4 };

struct writer {
    const struct profile *profile;
    bool bare; /* see stored_pprof_write_bare */
    struct pprof_out out;
    struct pprof_code code;
    int64_t *process_comms, *process_commands, *process_hosts, *process_jobs, *thread_comms; /* texts */
    uint64_t *frames; /* location ids of the present sample */
    size_t frame_room;
};

struct labels {
    struct pprof_label items[MOST_LABELS];
    size_t count;
};

/* Appends a label: a text (an index, not 0) or a number. Leaves out labels without a value. */
static void add_label(struct writer *writer, struct labels *labels, const char *key, int64_t text, int64_t number)
{
    if ((!text && !number) || writer->bare)
        return;
    labels->items[labels->count++] = (struct pprof_label){pprof_out_plain_text(&writer->out, key), text, number};
}

static void add_process_labels(struct writer *writer, struct labels *labels, uint32_t index)
{
    const struct profile_process *process = &writer->profile->processes[index];
    add_label(writer, labels, "process", writer->process_comms[index], 0);
    add_label(writer, labels, "pid", 0, process->pid);
    add_label(writer, labels, "image", 0, process->image);
    add_label(writer, labels, "command", writer->process_commands[index], 0);
    if (process->rank.known && !writer->bare) /* rank 0, too */
        labels->items[labels->count++] =
            (struct pprof_label){pprof_out_plain_text(&writer->out, "rank"), 0, process->rank.number};
    add_label(writer, labels, "ranks", 0, process->rank.count);
    add_label(writer, labels, "host", writer->process_hosts[index], 0);
    add_label(writer, labels, "job", writer->process_jobs[index], 0);
    if (index < writer->profile->base_count)
        add_label(writer, labels, "pprof::base", pprof_out_plain_text(&writer->out, "true"), 0);
}

/* Returns the number of values: samples, CPU time, wall time if it was sampled, and then the periods. */
static size_t value_count(const struct profile *profile)
{
    return profile->quality.wall ? MOST_VALUES : MOST_VALUES - 1;
}

static void put_values(struct writer *writer, struct labels *labels, struct pprof_sample *message, uint32_t process,
                       const struct profile_sample *sample)
{
    int64_t sign = process < writer->profile->base_count ? -1 : 1;
    size_t count = value_count(writer->profile);
    int64_t values[MOST_VALUES] = {sign * (int64_t)sample->count, sign * (int64_t)sample->cpu_ns,
                                   sign * (int64_t)profile_sample_ns(sample)};
    values[count - 1] = sign * (int64_t)sample->period_ns;
    message->n_value = writer->bare ? count - 1 : count;
    message->value = values;
    message->n_label = writer->bare ? 0 : labels->count;
    message->label = labels->items;
    pprof_out_put(&writer->out, PPROF_SAMPLE, &pprof_sample_layout, message);
}

static void put_sample(struct writer *writer, const struct profile_sample *sample)
{
    const struct profile *profile = writer->profile;
    const struct profile_thread *thread = &profile->threads[sample->thread];
    struct pprof_sample message = {0};
    struct labels labels = {.count = 0};
    if (!array_reserve_((void **)&writer->frames, &writer->frame_room, (size_t)sample->frame_count + 2,
                        sizeof *writer->frames)) {
        pprof_out_fail(&writer->out, -ENOMEM);
        return;
    }
    message.location_id = writer->frames;
    if (label_in_syscall(sample))
        writer->frames[message.n_location_id++] = pprof_code_syscall(&writer->code, sample->syscall);
    for (uint32_t i = 0; i < sample->frame_count; i++)
        writer->frames[message.n_location_id++] = (uint64_t)profile->frames[sample->frame_first + i] + 1;
    if (sample->cut != PROFILE_WHOLE)
        writer->frames[message.n_location_id++] = pprof_code_cut(&writer->code, (enum profile_cut)sample->cut);
    add_process_labels(writer, &labels, thread->process);
    add_label(writer, &labels, "tid", 0, thread->tid);
    add_label(writer, &labels, "comm", writer->thread_comms[sample->thread], 0);
    add_label(writer, &labels, "estimated", 0, thread->estimated);
    put_values(writer, &labels, &message, thread->process, sample);
}

static void put_unsampled(struct writer *writer, uint32_t index)
{
    const struct profile_process *process = &writer->profile->processes[index];
    struct pprof_sample message = {0};
    struct labels labels = {.count = 0};
    if (writer->bare && !profile_unsampled_ns(process))
        return;
    uint64_t location = pprof_code_unsampled(&writer->code, process->module);
    message.n_location_id = 1;
    message.location_id = &location;
    add_process_labels(writer, &labels, index);
    if (process->not_sampled)
        add_label(writer, &labels, "not sampled", pprof_out_text(&writer->out, process->not_sampled), 0);
    put_values(writer, &labels, &message, index,
               &(struct profile_sample){.cpu_ns = process->unsampled_ns, .wait_ns = process->unsampled_wait_ns});
}

static void put_samples(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    for (size_t i = 0; i < profile->process_count && !writer->out.result; i++)
        put_unsampled(writer, (uint32_t)i);
    for (size_t i = 0; i < profile->sample_count && !writer->out.result; i++)
        put_sample(writer, &profile->samples[i]);
}

/* Writes the list of timestamps in parts. The number of a sample is its position in the file, where the samples of the
 * processes come first. */
static void put_instants(struct writer *writer)
{
    enum { PART = 1 << 16 };
    struct buffer part = {0};
    struct instants_reader reader;
    struct instant instant;
    uint64_t last_us = 0;
    instants_read(&reader, &writer->profile->instants);
    while (!writer->out.result && instants_next(&reader, &instant)) {
        instant.sample += (uint32_t)writer->profile->process_count;
        if (!instants_encode(&part, &instant, &last_us))
            pprof_out_fail(&writer->out, -ENOMEM);
        if (part.length < PART)
            continue;
        pprof_out_put_bytes(&writer->out, PPROF_INSTANTS, part.bytes, part.length);
        part.length = 0;
    }
    if (part.length)
        pprof_out_put_bytes(&writer->out, PPROF_INSTANTS, part.bytes, part.length);
    buffer_fini(&part);
}

static void put_marks(struct writer *writer)
{
    for (size_t i = 0; i < writer->profile->mark_count && !writer->out.result; i++) {
        const struct profile_mark *mark = &writer->profile->marks[i];
        struct pprof_mark message = {0};
        message.time_ns = mark->time_ns;
        message.text = pprof_out_text(&writer->out, mark->text);
        pprof_out_put(&writer->out, PPROF_MARK, &pprof_mark_layout, &message);
    }
}

enum { MOST_RATES = 1 + 2 * PROFILE_RATE_CHANGES };

/* Fills RATES in the form of struct pprof_quality. Returns their number. */
static size_t rates_of(const struct profile_quality *quality, uint64_t rates[MOST_RATES])
{
    size_t count = 0;
    rates[count++] = profile_last_rate(quality);
    for (size_t i = 0; i < quality->change_count; i++) {
        rates[count++] = quality->changes[i].at_ns;
        rates[count++] = quality->changes[i].hz;
    }
    return count;
}

static struct pprof_quality quality_of(struct writer *writer)
{
    const struct profile_quality *known = &writer->profile->quality;
    struct pprof_quality quality = {0};
    quality.rate = known->rate;
    quality.wall = known->wall;
    quality.lowest_rate = known->lowest_rate;
    quality.max_overhead = known->max_overhead;
    quality.samples = known->samples;
    quality.due = known->due;
#define PUT(name, number, key, text) quality.name = known->counters[QUALITY_##name];
    QUALITY_COUNTERS(PUT)
#undef PUT
    quality.pause_median_ns = known->pause_median_ns;
    quality.pause_p99_ns = known->pause_p99_ns;
    quality.supervisor_cpu_ns = known->supervisor_cpu_ns;
    quality.off_ns = known->off_ns;
    quality.signal = known->signal;
    quality.instants_until_ns = writer->profile->instants.until_ns;
    quality.ended_early = known->ended_early ? pprof_out_text(&writer->out, known->ended_early) : 0;
    quality.command = writer->profile->command ? pprof_out_text(&writer->out, writer->profile->command) : 0;
    return quality;
}

/* Removes newlines at the ends of TEXT, and replaces others by blanks. */
static const char *on_one_line(char *text)
{
    for (size_t length = strlen(text); length && text[length - 1] == '\n';)
        text[--length] = 0;
    text += strspn(text, "\n");
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = ' ';
    return text;
}

/* Returns the index of the summary, which is stored as a comment, for people who read the file with other programs. */
static int64_t summary_of(struct writer *writer)
{
    char *text = NULL;
    size_t size = 0;
    int64_t index = 0;
    FILE *stream = open_memstream(&text, &size);
    int result = stream ? summary_write(writer->profile, &REPORT_OPTIONS_FULL, stream) : -ENOMEM;
    if (stream && fclose(stream) != 0 && !result)
        result = -ENOMEM;
    pprof_out_fail(&writer->out, result);
    if (!result && size)
        index = pprof_out_text(&writer->out, on_one_line(text));
    free(text);
    return index;
}

/* Writes MESSAGE with the fields that only ptprofil reads. */
static void put_own_fields(struct writer *writer, struct pprof_profile *message)
{
    struct pprof_quality quality = quality_of(writer);
    uint64_t rates[MOST_RATES];
    int64_t comments[] = {quality.command, summary_of(writer)};
    message->n_comment = quality.command ? 2 : 1;
    message->comment = quality.command ? comments : comments + 1;
    quality.rates = rates;
    quality.n_rates = rates_of(&writer->profile->quality, rates);
    message->quality = &quality;
    pprof_out_put_fields(&writer->out, message);
}

static void put_fields(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    struct pprof_out *out = &writer->out;
    struct pprof_profile message = {0};
    struct pprof_value_type types[MOST_VALUES] = {{0}}, *samples = &types[0], *cpu = &types[1], *wall = &types[2],
                            *period = &types[value_count(profile) - 1];
    samples->type = pprof_out_plain_text(out, "samples");
    samples->unit = pprof_out_plain_text(out, "count");
    cpu->type = message.default_sample_type = pprof_out_plain_text(out, "cpu");
    cpu->unit = wall->unit = period->unit = pprof_out_plain_text(out, "nanoseconds");
    message.n_sample_type = value_count(profile);
    message.sample_type = types;
    message.period_type = cpu;
    if (profile->quality.wall) {
        wall->type = message.default_sample_type = pprof_out_plain_text(out, "wall");
        message.period_type = wall;
    }
    period->type = pprof_out_plain_text(out, "period");
    message.period = profile->quality.rate ? 1000000000 / profile->quality.rate : 0;
    message.time_nanos = (int64_t)profile->quality.began_ns;
    message.duration_nanos = (int64_t)profile->quality.wall_ns;
    if (writer->bare) {
        message.n_sample_type--; /* only ptprofil reads the periods */
        pprof_out_put_fields(out, &message);
    } else {
        put_own_fields(writer, &message);
    }
}

/* Returns the text indices of the names of processes and threads, each added once, because each has many samples. */
static int64_t *comms_of(struct writer *writer, size_t count, const char *(*comm)(const struct profile *, size_t))
{
    int64_t *comms = calloc(count + 1, sizeof *comms);
    if (!comms)
        pprof_out_fail(&writer->out, -ENOMEM);
    for (size_t i = 0; comms && i < count; i++)
        comms[i] = comm(writer->profile, i) ? pprof_out_text(&writer->out, comm(writer->profile, i)) : 0;
    return comms;
}

static const char *process_comm(const struct profile *profile, size_t index)
{
    return profile->processes[index].comm;
}

static const char *process_command(const struct profile *profile, size_t index)
{
    return profile->processes[index].command;
}

static const char *process_host(const struct profile *profile, size_t index)
{
    return profile->processes[index].rank.host;
}

static const char *process_job(const struct profile *profile, size_t index)
{
    return profile->processes[index].rank.job;
}

static const char *thread_comm(const struct profile *profile, size_t index)
{
    return profile->threads[index].comm;
}

/* Writes PROFILE. It contains each part once, in the order of its first use. */
static int put_profile(const struct profile *profile, bool bare, FILE *stream)
{
    struct writer writer = {.profile = profile, .bare = bare, .code = {.profile = profile, .bare = bare}};
    writer.code.out = &writer.out;
    pprof_out_begin(&writer.out, stream);
    writer.process_comms = comms_of(&writer, profile->process_count, process_comm);
    writer.process_commands = comms_of(&writer, profile->process_count, process_command);
    writer.process_hosts = comms_of(&writer, profile->process_count, process_host);
    writer.process_jobs = comms_of(&writer, profile->process_count, process_job);
    writer.thread_comms = comms_of(&writer, profile->thread_count, thread_comm);
    if (!writer.out.result) {
        put_fields(&writer);
        put_samples(&writer);
        if (!profile->base_count) /* not for a comparison: two profiles have no common time */
            put_instants(&writer);
        put_marks(&writer);
        pprof_code_put(&writer.code);
        pprof_out_put_texts(&writer.out);
    }
    free(writer.process_comms);
    free(writer.process_commands);
    free(writer.process_hosts);
    free(writer.process_jobs);
    free(writer.thread_comms);
    free(writer.frames);
    pprof_code_fini(&writer.code);
    return pprof_out_end(&writer.out);
}

int stored_pprof_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct profile *each_once = merge_with_base(options->base, profile);
    int result = each_once ? put_profile(each_once, false, stream) : -ENOMEM;
    profile_free(each_once);
    return result;
}

int stored_pprof_write_bare(const struct profile *profile, FILE *stream)
{
    struct profile *each_once = merge_with_base(NULL, profile);
    int result = each_once ? put_profile(each_once, true, stream) : -ENOMEM;
    profile_free(each_once);
    return result;
}
