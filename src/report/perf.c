/* SPDX-License-Identifier: MIT
 *
 * The text that `perf script` prints, for what reads that: a head "COMM PID/TID SECONDS: PERIOD EVENT:", a line for each
 * frame, leaf first, "ADDRESS NAME+OFFSET (OBJECT)", and an empty line. A sample is an event, since many readers count
 * events; its period is its time in nanoseconds, and the periods of the file add up to the time of the profile.
 *
 * A profile does not know when its samples were taken. Their times here are those of a clock that stands still but for what
 * they stand for, a thread after the other: what is between two samples of a thread is the time of the second, as for readers
 * that take it for that. */
#include "report/report.h"

#include "record/perf_line.h"
#include "report/by_thread.h"
#include "report/label.h"
#include "report/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

enum { CHUNK = 1 << 16 };

/* Of a profile with more samples than these, those of one stack are one event: a stranger's may claim any number. */
enum { MOST_EVENTS = 4 << 20 };

#define SECOND UINT64_C(1000000000)

struct writer {
    const struct profile *profile;
    const char *event;
    bool together;
    uint64_t passed_ns;
    struct buffer out, head, stack; /* of the sample in hand */
    FILE *stream;
};

/* Appends TEXT, or INSTEAD of an empty one. A blank becomes '_' at the beginning and where ENDS says that a reader would take
 * it for the end of the name. */
static void put_clean(struct buffer *out, const char *text, const char *instead, bool (*ends)(const char *blank))
{
    size_t begin = out->length;
    text_clean(out, *text ? text : instead, true);
    for (size_t i = begin; i < out->length && !out->failed; i++)
        if (out->bytes[i] == ' ' && (i == begin || ends(out->bytes + i)))
            out->bytes[i] = '_';
}

/* A number ends the name of a thread. */
static bool ends_comm(const char *blank)
{
    return isdigit((unsigned char)blank[1]) || blank[1] == ' ' || !blank[1];
}

static bool ends_object(const char *blank)
{
    (void)blank;
    return true;
}

static bool ends_function(const char *blank)
{
    return !blank[1];
}

static void put_frame(struct buffer *out, uint64_t address, const char *name, uint64_t start, const char *object)
{
    buffer_printf(out, "\t%16llx ", (unsigned long long)address);
    put_clean(out, name, PROFILE_NAME_UNKNOWN, ends_function);
    if (start && start <= address)
        buffer_printf(out, "+0x%llx", (unsigned long long)(address - start));
    buffer_puts(out, " (");
    put_clean(out, object, PROFILE_NAME_UNKNOWN, ends_object);
    buffer_puts(out, ")\n");
}

static void put_location(struct buffer *out, const struct profile *profile, uint32_t number)
{
    const struct profile_location *location = &profile->locations[number];
    const struct profile_line *lines = location->line_count ? profile->lines + location->line_first : NULL;
    uint32_t own = lines ? lines[location->line_count - 1].function : location->function;
    for (uint32_t i = 0; i + 1 < location->line_count; i++)
        put_frame(out, location->address, profile->functions[lines[i].function].name, 0, PERF_INLINED);
    put_frame(out, location->address, profile->functions[own].name, profile->functions[own].start,
              profile->modules[location->module].path);
}

static void put_stack(struct buffer *out, const struct profile *profile, const struct profile_sample *sample)
{
    if (label_in_syscall(sample))
        put_frame(out, 0, label_syscall(sample->syscall).text, 0, PERF_KERNEL);
    for (uint32_t i = 0; i < sample->frame_count; i++)
        put_location(out, profile, profile->frames[sample->frame_first + i]);
    if (sample->cut != PROFILE_WHOLE)
        put_frame(out, 0, profile_cut_name((enum profile_cut)sample->cut), 0, PROFILE_NAME_UNKNOWN);
}

/* One event of NS with what head and stack hold. */
static int put_event(struct writer *writer, uint64_t ns)
{
    struct buffer *out = &writer->out;
    writer->passed_ns += ns;
    buffer_append(out, writer->head.bytes, writer->head.length);
    buffer_printf(out, " %llu.%09u: %10llu %s: \n", (unsigned long long)(writer->passed_ns / SECOND),
                  (unsigned)(writer->passed_ns % SECOND), (unsigned long long)ns, writer->event);
    buffer_append(out, writer->stack.bytes, writer->stack.length);
    buffer_puts(out, "\n");
    out->failed |= writer->head.failed || writer->stack.failed;
    return out->length < CHUNK ? 0 : text_write(out, writer->stream);
}

static void begin_stack(struct writer *writer, const char *comm, pid_t pid, pid_t tid)
{
    writer->head.length = writer->stack.length = 0;
    put_clean(&writer->head, comm, "[unnamed]", ends_comm);
    if (writer->head.length && *writer->head.bytes == '#') /* it would be a comment */
        *writer->head.bytes = '_';
    buffer_printf(&writer->head, " %d/%d", (int)pid, (int)tid);
}

/* Its time is shared out among its events so that nothing of it is lost. */
static int put_sample(struct writer *writer, const struct profile_sample *sample)
{
    const struct profile *profile = writer->profile;
    const struct profile_thread *thread = &profile->threads[sample->thread];
    uint64_t ns = profile_sample_ns(sample), count = writer->together || !sample->count ? 1 : sample->count;
    int result = 0;
    begin_stack(writer, thread->comm, profile->processes[thread->process].pid, thread->tid);
    put_stack(&writer->stack, profile, sample);
    for (uint64_t i = 0; i < count && !result; i++)
        result = put_event(writer, ns / count + (i < ns % count));
    return result;
}

static int put_unsampled(struct writer *writer, const struct profile_process *process)
{
    if (!profile_unsampled_ns(process))
        return 0;
    begin_stack(writer, process->comm, process->pid, 0); /* it is none of its threads */
    put_frame(&writer->stack, 0, LABEL_UNSAMPLED, 0, PROFILE_NAME_UNKNOWN);
    return put_event(writer, profile_unsampled_ns(process));
}

static bool has_too_many(const struct profile *profile)
{
    uint64_t samples = 0;
    for (size_t i = 0; i < profile->sample_count && samples <= MOST_EVENTS; i++)
        samples = profile->samples[i].count > MOST_EVENTS ? MOST_EVENTS + 1 : samples + profile->samples[i].count;
    return samples > MOST_EVENTS;
}

int report_perf_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    (void)options;
    struct writer writer = {.profile = profile,
                            .event = profile->quality.wall ? PERF_WALL_CLOCK : PERF_CPU_CLOCK,
                            .together = has_too_many(profile),
                            .stream = stream};
    uint32_t *order = by_thread(profile);
    int result = order ? 0 : -ENOMEM;
    for (size_t i = 0; i < profile->sample_count && !result; i++)
        result = put_sample(&writer, &profile->samples[order[i]]);
    for (size_t i = 0; i < profile->process_count && !result; i++)
        result = put_unsampled(&writer, &profile->processes[i]);
    if (!result)
        result = text_write(&writer.out, stream);
    free(order);
    buffer_free(&writer.out);
    buffer_free(&writer.head);
    buffer_free(&writer.stack);
    return result ? result : text_flush(stream);
}
