/* SPDX-License-Identifier: MIT
 *
 * Writes a profile as the text that `perf script` prints, for tools that read this text. Each event has a head "COMM
 * PID/TID SECONDS: PERIOD EVENT:", a line for each frame, leaf first, "ADDRESS NAME+OFFSET (OBJECT)", and an empty
 * line. Each sample is an event, since many readers count events. Its period is its time in nanoseconds, and all
 * periods of the file add up to the time of the profile.
 *
 * Events are sorted by time, which begins with the profile. A profile without sample times gets an artificial clock:
 * it advances by the period of each event, one thread after the other. So the interval between two samples of a
 * thread is the period of the second, as some readers assume. */
#include "profile/stored/writers.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/profile/label.h"
#include "profile/profile/profile.h"
#include "profile/profile/timeline.h"
#include "profile/stored/perf_line.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Limit of events: a profile with more samples gets one event for each stack, because a hostile profile may claim any
 * number of samples. */
enum { MOST_EVENTS = 4 << 20 };

#define SECOND UINT64_C(1000000000)

struct event {
    uint64_t time_ns;      /* or TIMELINE_NEVER */
    uint32_t item, number; /* in the timeline, and in its events */
};

struct writer {
    const struct profile *profile;
    const char *event;
    bool together;
    struct timeline timeline;
    uint64_t *uncounted_ns; /* for each sample, the time without an event of its own, which its first event gets */
    struct event *events;
    size_t event_count;
    uint64_t passed_ns;             /* time of the artificial clock, for items without a time */
    struct buffer out, head, stack; /* of the present sample */
    FILE *stream;
};

/* Appends TEXT, or INSTEAD if it is empty. Replaces blanks by '_' at the beginning, and where ENDS shows that a reader
 * would end the name. */
static void put_clean(struct buffer *out, const char *text, const char *instead, bool (*ends)(const char *blank))
{
    size_t begin = out->length;
    text_clean(out, *text ? text : instead, true);
    for (size_t i = begin; i < out->length && !out->failed; i++)
        if (out->bytes[i] == ' ' && (i == begin || ends(out->bytes + i)))
            out->bytes[i] = '_';
}

/* Returns true if a number follows: readers end the name of a thread there. */
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

/* Appends NAME. FlameGraph's stackcollapse-perf.pl reads a leading parenthesis as a process name, and "->" as the
 * separator before an inlined function. Both occur in names: "(anonymous namespace)::f" and "operator->". */
static void put_function(struct buffer *out, const char *name)
{
    struct buffer clean = {0};
    put_clean(&clean, name, PROFILE_NAME_UNKNOWN, ends_function);
    const char *at = clean.bytes ? clean.bytes : "";
    buffer_puts(out, *at == '(' ? "_" : "");
    for (const char *arrow; (arrow = strstr(at, "->")); at = arrow + 1) {
        buffer_append(out, at, (size_t)(arrow + 1 - at));
        buffer_puts(out, " ");
    }
    buffer_puts(out, at);
    out->failed |= clean.failed;
    buffer_fini(&clean);
}

/* Appends COMM, extended to two characters, which readers require. */
static void put_comm(struct buffer *out, const char *comm)
{
    size_t begin = out->length, characters = 0;
    put_clean(out, comm, "[unnamed]", ends_comm);
    for (size_t i = begin; i < out->length && !out->failed; i++)
        characters += ((unsigned char)out->bytes[i] & 0xc0) != 0x80; /* counts only the first bytes of UTF-8
                                                                      * characters */
    if (characters < 2)
        buffer_puts(out, "_");
}

static void put_frame(struct buffer *out, uint64_t address, const char *name, uint64_t start, const char *object)
{
    buffer_printf(out, "\t%16llx ", (unsigned long long)address);
    put_function(out, name);
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

/* Writes one event of NS at TIME_NS, with the contents of head and stack. */
static int put_event(struct writer *writer, uint64_t time_ns, uint64_t ns)
{
    struct buffer *out = &writer->out;
    buffer_append(out, writer->head.bytes, writer->head.length);
    buffer_printf(out, " %llu.%09u: %10llu %s: \n", (unsigned long long)(time_ns / SECOND),
                  (unsigned)(time_ns % SECOND), (unsigned long long)ns, writer->event);
    buffer_append(out, writer->stack.bytes, writer->stack.length);
    buffer_puts(out, "\n");
    out->failed |= writer->head.failed || writer->stack.failed;
    return text_write_full(out, writer->stream);
}

static void begin_stack(struct writer *writer, const char *comm, pid_t pid, pid_t tid)
{
    writer->head.length = writer->stack.length = 0;
    put_comm(&writer->head, comm);
    if (writer->head.length && *writer->head.bytes == '#') /* otherwise the line would be a comment */
        *writer->head.bytes = '_';
    buffer_printf(&writer->head, " %d/%d", (int)pid, (int)tid);
}

static uint32_t count_of(const struct writer *writer, const struct timeline_item *item)
{
    return writer->together || !item->count ? 1 : (uint32_t)item->count;
}

/* Gives ITEM all the time that its events represent. Returns false if ITEM needs no event. */
static bool settle(struct writer *writer, struct timeline_item *item)
{
    uint64_t *uncounted_ns = &writer->uncounted_ns[item->sample];
    if (!item->count)
        item->cpu_ns = item->wait_ns = 0; /* the time belongs to a counted event, or to the first event of this
                                           * sample */
    if (!item->count && (writer->profile->samples[item->sample].count || !*uncounted_ns))
        return false;
    item->cpu_ns += *uncounted_ns;
    *uncounted_ns = 0;
    return true;
}

static int by_time(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Makes the events of all items. Spreads the events of an item over the item's time, so that other events may lie
 * between them. */
static bool make_events(struct writer *writer)
{
    struct timeline *timeline = &writer->timeline;
    size_t most = 1;
    for (size_t i = 0; i < timeline->count; i++)
        most += count_of(writer, &timeline->items[i]);
    writer->events = malloc(most * sizeof *writer->events);
    for (uint32_t i = 0; writer->events && i < timeline->count; i++) {
        struct timeline_item *item = &timeline->items[i];
        uint64_t end_ns = item->time_ns, began_ns = timeline_began_ns(item);
        uint32_t count = count_of(writer, item);
        if (!settle(writer, item))
            continue;
        for (uint32_t number = 0; number < count; number++) {
            uint64_t time_ns =
                end_ns == TIMELINE_NEVER ? end_ns : end_ns - (end_ns - began_ns) / count * (count - 1 - number);
            writer->events[writer->event_count++] = (struct event){time_ns, i, number};
        }
    }
    if (writer->events)
        qsort(writer->events, writer->event_count, sizeof *writer->events, by_time);
    return writer->events;
}

/* Writes one event of an item. The events of an item divide its time without loss. Events without a time come last. */
static int put_item_event(struct writer *writer, const struct event *event, bool same_item)
{
    const struct profile *profile = writer->profile;
    const struct timeline_item *item = &writer->timeline.items[event->item];
    const struct profile_sample *sample = &profile->samples[item->sample];
    const struct profile_thread *thread = &profile->threads[sample->thread];
    uint64_t count = count_of(writer, item);
    uint64_t ns = timeline_ns(item) / count + (event->number < timeline_ns(item) % count);
    if (!same_item) {
        begin_stack(writer, thread->comm, profile->processes[thread->process].pid, thread->tid);
        put_stack(&writer->stack, profile, sample);
    }
    if (event->time_ns == TIMELINE_NEVER)
        writer->passed_ns += ns;
    else
        writer->passed_ns = event->time_ns;
    return put_event(writer, writer->passed_ns, ns);
}

static int put_unsampled(struct writer *writer, const struct profile_process *process)
{
    if (!profile_unsampled_ns(process))
        return 0;
    begin_stack(writer, process->comm, process->pid, 0); /* it is not the time of any single thread */
    put_frame(&writer->stack, 0, profile_unsampled_name(writer->profile), 0, PROFILE_NAME_UNKNOWN);
    writer->passed_ns += profile_unsampled_ns(process);
    return put_event(writer, writer->passed_ns, profile_unsampled_ns(process));
}

static bool has_too_many(const struct profile *profile)
{
    uint64_t samples = 0;
    for (size_t i = 0; i < profile->sample_count && samples <= MOST_EVENTS; i++)
        samples = profile->samples[i].count > MOST_EVENTS ? MOST_EVENTS + 1 : samples + profile->samples[i].count;
    return samples > MOST_EVENTS;
}

static int put_all(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    int result = 0;
    for (size_t i = 0; i < writer->timeline.count; i++) {
        const struct timeline_item *item = &writer->timeline.items[i];
        writer->uncounted_ns[item->sample] += item->count ? 0 : timeline_ns(item);
    }
    if (!make_events(writer))
        return -ENOMEM;
    for (size_t i = 0; i < writer->event_count && !result; i++) {
        const struct event *event = &writer->events[i];
        result = put_item_event(writer, event, i && event[-1].item == event->item);
    }
    for (size_t i = 0; i < profile->process_count && !result; i++)
        result = put_unsampled(writer, &profile->processes[i]);
    return result;
}

int stored_perf_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    (void)options;
    struct writer writer = {.profile = profile,
                            .event = profile->quality.wall ? PERF_WALL_CLOCK : PERF_CPU_CLOCK,
                            .together = has_too_many(profile),
                            .uncounted_ns = calloc(profile->sample_count + 1, sizeof *writer.uncounted_ns),
                            .stream = stream};
    int result = writer.uncounted_ns
                     ? timeline_init(&writer.timeline, profile, !profile->instants.count, TIMELINE_MOST_INSTANTS)
                     : -ENOMEM;
    if (!result)
        result = put_all(&writer);
    timeline_fini(&writer.timeline);
    free(writer.uncounted_ns);
    free(writer.events);
    buffer_fini(&writer.head);
    buffer_fini(&writer.stack);
    return text_end(&writer.out, stream, result);
}
