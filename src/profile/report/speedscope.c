/* SPDX-License-Identifier: MIT
 *
 * The file format of speedscope: a sampled profile for each thread, and one for unsampled time. Weights are
 * nanoseconds. Samples are in the order of their timestamps; samples without a timestamp come last. */
#include "profile/report/report.h"

#include "common/text/json.h"
#include "common/text/text.h"
#include "profile/profile/frames.h"
#include "profile/profile/profile.h"
#include "profile/profile/stack.h"
#include "profile/profile/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    const struct profile *profile;
    struct frames frames;
    struct stack stack;
    struct buffer out, weights; /* weights: in the current profile */
    struct timeline timeline;   /* by thread */
    uint64_t sum_ns;            /* sum of these weights */
    size_t written;             /* number of profiles */
    size_t largest;             /* the profile with the most time */
    uint64_t largest_ns;
    FILE *stream;
};

static void begin_profile(struct writer *writer, const char *name)
{
    writer->written++;
    json_plain(json_line(&writer->out), NULL, "{\"type\":\"sampled\"");
    json_text(&writer->out, "name", name);
    buffer_puts(&writer->out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\n\"samples\":[");
    writer->weights.length = 0;
    buffer_puts(&writer->weights, "[");
    writer->sum_ns = 0;
}

static int end_profile(struct writer *writer)
{
    writer->out.failed |= writer->weights.failed;
    buffer_puts(&writer->out, "],\n\"weights\":");
    buffer_append(&writer->out, writer->weights.bytes, writer->weights.length);
    buffer_printf(&writer->out, "],\n\"endValue\":%llu}", (unsigned long long)writer->sum_ns);
    if (writer->sum_ns > writer->largest_ns) {
        writer->largest_ns = writer->sum_ns;
        writer->largest = writer->written - 1;
    }
    return text_write(&writer->out, writer->stream);
}

static void begin_sample(struct writer *writer, uint64_t ns)
{
    json_open(json_line(&writer->out), NULL, '[');
    json_number(&writer->weights, NULL, ns);
    writer->sum_ns += ns;
}

static void put_frame(struct writer *writer, uint32_t number)
{
    writer->out.failed |= number == HASH_NONE;
    json_number(&writer->out, NULL, number);
}

static int put_sample(struct writer *writer, const struct profile_sample *sample, uint64_t ns)
{
    struct stack *stack = &writer->stack;
    if (!stack_of(stack, writer->profile, sample))
        return -ENOMEM;
    begin_sample(writer, ns);
    for (size_t i = stack->count; i--;) {
        const struct stack_frame *frame = &stack->items[i];
        put_frame(writer, frames_number(&writer->frames, frame->function, frame->name, frame->module));
    }
    buffer_puts(&writer->out, "]");
    return text_write_full(&writer->out, writer->stream);
}

/* Appends the name that identifies a thread or process: "COMM LABEL". */
static void put_name(struct buffer *name, const char *comm, struct label label)
{
    name->length = 0;
    buffer_printf(name, "%s %s", comm, label.text);
}

static const struct profile_sample *sample_of(const struct writer *writer, size_t number)
{
    return &writer->profile->samples[writer->timeline.items[number].sample];
}

/* Writes the items FIRST .. END, which belong to one thread. Consecutive items of one sample become one. */
static int put_thread(struct writer *writer, size_t first, size_t end)
{
    const struct profile *profile = writer->profile;
    const struct profile_thread *thread = &profile->threads[sample_of(writer, first)->thread];
    struct buffer name = {0};
    int result = 0;
    put_name(&name, thread->comm, label_thread(profile, thread));
    writer->out.failed |= name.failed;
    begin_profile(writer, name.bytes ? name.bytes : "");
    for (size_t i = first, next; i < end && !result; i = next) {
        uint64_t ns = 0;
        for (next = i; next < end && sample_of(writer, next) == sample_of(writer, i); next++)
            ns += timeline_ns(&writer->timeline.items[next]);
        result = put_sample(writer, sample_of(writer, i), ns);
    }
    buffer_fini(&name);
    return result ? result : end_profile(writer);
}

static int put_threads(struct writer *writer)
{
    size_t count = writer->timeline.count;
    int result = 0;
    for (size_t first = 0, end; first < count && !result; first = end) {
        uint32_t thread = sample_of(writer, first)->thread;
        for (end = first; end < count && sample_of(writer, end)->thread == thread;)
            end++;
        result = put_thread(writer, first, end);
    }
    return result;
}

static int put_unsampled(struct writer *writer)
{
    struct buffer name = {0};
    begin_profile(writer, profile_unsampled_name(writer->profile));
    for (size_t i = 0; i < writer->profile->process_count; i++) {
        const struct profile_process *process = &writer->profile->processes[i];
        if (!profile_unsampled_ns(process))
            continue;
        put_name(&name, process->comm, label_process(process));
        begin_sample(writer, profile_unsampled_ns(process));
        put_frame(writer, frames_number(&writer->frames, PROFILE_NONE, name.bytes ? name.bytes : "", ""));
        put_frame(writer, frames_number(&writer->frames, PROFILE_NONE, profile_unsampled_name(writer->profile), ""));
        buffer_puts(&writer->out, "]");
        writer->out.failed |= name.failed;
    }
    buffer_fini(&name);
    return end_profile(writer);
}

/* A function without a known source file has its object as the file. */
static int put_frames(struct writer *writer)
{
    struct buffer *out = &writer->out;
    int result = 0;
    for (size_t i = 0; i < writer->frames.count && !result; i++) {
        const struct frames_item *item = &writer->frames.items[i];
        const char *file = item->file ? item->file : item->path;
        json_open(json_line(out), NULL, '{');
        json_text(out, "name", *item->name ? item->name : "[unnamed]");
        if (*file)
            json_text(out, "file", file);
        if (item->line)
            json_number(out, "line", item->line);
        buffer_puts(out, "}");
        result = text_write_full(out, writer->stream);
    }
    return result;
}

static int put_all(struct writer *writer)
{
    struct buffer *out = &writer->out;
    buffer_puts(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":\"ptprofil\"");
    json_text(json_line(out), "name", writer->profile->command ? writer->profile->command : "ptprofil");
    json_open(json_line(out), "profiles", '[');
    int result = put_threads(writer);
    if (!result)
        result = put_unsampled(writer);
    buffer_printf(out, "],\n\"activeProfileIndex\":%zu,\n\"shared\":{\"frames\":[", writer->largest);
    if (!result)
        result = put_frames(writer);
    buffer_puts(out, "]}}\n");
    return text_end(out, writer->stream, result);
}

int report_speedscope_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    (void)options;
    struct writer writer = {.profile = profile, .stream = stream};
    int result = frames_init(&writer.frames, profile);
    if (!result)
        result = timeline_init(&writer.timeline, profile, true, TIMELINE_MOST_INSTANTS);
    if (!result)
        result = put_all(&writer);
    frames_fini(&writer.frames);
    stack_fini(&writer.stack);
    buffer_fini(&writer.out);
    buffer_fini(&writer.weights);
    timeline_fini(&writer.timeline);
    return result;
}
