/* SPDX-License-Identifier: MIT
 *
 * The processed format of the Firefox Profiler, compressed: one thread for each of the profile's, with the times of its
 * samples, their weights and their CPU times. Marks become markers. Weights are milliseconds, with all digits of the
 * nanoseconds. A wait has the time of its beginning; other samples have the time at which they were taken. Samples
 * without a time come last in their thread, one after the other. The unsampled time is in a thread of its process.
 *
 * The format version is 62; newer readers accept it, too. */
#include "profile/report/report.h"

#include "common/text/json.h"
#include "profile/profile/profile.h"
#include "profile/profile/timeline.h"
#include "profile/report/firefox_tables.h"
#include "profile/stored/pack.h"

#include <errno.h>
#include <stdlib.h>

enum { CHUNK = 1 << 16, FORMAT_VERSION = 62, MILLISECOND = 1000000 };

struct writer {
    const struct profile *profile;
    struct firefox_tables tables;
    struct timeline timeline;                       /* by thread */
    struct buffer out, stacks, times, weights, cpu; /* the last four are the columns of the current thread */
    uint64_t last_ns;                               /* time of its last row */
    uint64_t begin_ns, end_ns;                      /* of the rows of all threads */
    size_t samples, threads;
    bool *told; /* for each process, whether its unsampled time has been written */
    struct pack *pack;
    int result;
};

static void flush(struct writer *writer)
{
    if (!writer->result && (writer->out.length >= CHUNK || writer->out.failed))
        writer->result = pack_write(writer->pack, &writer->out);
}

static void put_ms(struct buffer *out, const char *key, uint64_t ns)
{
    json_key(out, key);
    buffer_printf(out, "%llu.%06u", (unsigned long long)(ns / MILLISECOND), (unsigned)(ns % MILLISECOND));
}

static void extend_range(struct writer *writer, uint64_t time_ns)
{
    if (time_ns < writer->begin_ns)
        writer->begin_ns = time_ns;
    if (time_ns > writer->end_ns)
        writer->end_ns = time_ns;
}

/* Adds a row of the current thread at TIME_NS, or at the time of the last row if that is later. */
static void put_row(struct writer *writer, uint64_t time_ns, uint32_t stack, uint64_t ns, uint64_t cpu_ns)
{
    uint64_t step_ns = time_ns > writer->last_ns ? time_ns - writer->last_ns : 0;
    firefox_tables_number(&writer->stacks, stack);
    put_ms(&writer->times, NULL, step_ns);
    put_ms(&writer->weights, NULL, ns);
    json_number(&writer->cpu, NULL, cpu_ns);
    writer->samples++;
    writer->last_ns += step_ns;
    extend_range(writer, writer->last_ns);
}

/* The profiler ignores the CPU time of a thread's first row, since no row precedes it. So an empty row comes first,
 * earlier by the CPU time of the first sample. */
static void put_sample(struct writer *writer, uint64_t time_ns, uint32_t stack, uint64_t ns, uint64_t cpu_ns)
{
    writer->out.failed |= stack == HASH_NONE;
    if (!writer->samples)
        put_row(writer, time_ns > cpu_ns ? time_ns - cpu_ns : 0, HASH_NONE, 0, 0);
    put_row(writer, time_ns, stack, ns, cpu_ns);
}

static void put_item(struct writer *writer, const struct timeline_item *item)
{
    const struct profile_sample *sample = &writer->profile->samples[item->sample];
    bool timed = item->time_ns != TIMELINE_NEVER;
    uint64_t time_ns = timed ? timeline_began_ns(item) : writer->last_ns + timeline_ns(item);
    uint32_t stack = firefox_tables_stack(&writer->tables, item->sample, sample, item->wait_ns > 0);
    put_sample(writer, time_ns, stack, timeline_ns(item), item->cpu_ns);
}

static void put_unsampled(struct writer *writer, uint32_t number)
{
    const struct profile_process *process = &writer->profile->processes[number];
    uint64_t ns = profile_unsampled_ns(process);
    if (ns && !writer->told[number])
        put_sample(writer, writer->last_ns + ns, firefox_tables_unsampled(&writer->tables), ns, process->unsampled_ns);
    writer->told[number] = true;
}

/* Marks belong to the whole profile, and are written with the first thread. */
static void put_markers(struct writer *writer, bool all)
{
    const struct profile *profile = writer->profile;
    struct buffer *out = &writer->out;
    size_t count = all ? profile->mark_count : 0;
    uint32_t name = count ? firefox_tables_text(&writer->tables, "mark") : 0;
    json_open(json_line(out), "markers", '{');
    json_number(out, "length", count);
    json_open(out, "data", '[');
    for (size_t i = 0; i < count; i++) {
        json_plain(out, NULL, "{\"type\":\"mark\"");
        json_text(out, "text", profile->marks[i].text);
        buffer_puts(out, "}");
        flush(writer);
    }
    buffer_puts(out, "],\"startTime\":[");
    for (size_t i = 0; i < count; i++)
        put_ms(out, NULL, profile->marks[i].time_ns);
    static const char *const columns[] = {"endTime", "phase", "category"};
    for (size_t column = 0; column < sizeof columns / sizeof *columns; column++) {
        buffer_printf(out, "],\"%s\":[", columns[column]);
        for (size_t i = 0; i < count; i++)
            json_plain(out, NULL, column ? "0" : "null");
    }
    buffer_puts(out, "],\"name\":[");
    for (size_t i = 0; i < count; i++)
        json_number(out, NULL, name);
    buffer_puts(out, "]}");
}

/* Writes the columns as the thread TID, called COMM, of PROCESS. */
static void put_thread(struct writer *writer, const struct profile_process *process, const char *comm, pid_t tid)
{
    struct buffer *out = &writer->out;
    struct label pid = label_process(process);
    const struct {
        const char *name;
        struct buffer *column;
    } columns[] = {{"stack", &writer->stacks},
                   {"timeDeltas", &writer->times},
                   {"weight", &writer->weights},
                   {"threadCPUDelta", &writer->cpu}};
    if (!process->pid) /* the profiler merges processes with equal pids */
        snprintf(pid.text, sizeof pid.text, "-%zu", (size_t)(process - writer->profile->processes));
    json_open(json_line(out), NULL, '{');
    json_text(out, "name", *comm ? comm : "[unnamed]");
    json_text(out, "processName", *process->comm ? process->comm : "[unnamed]");
    buffer_printf(
        out,
        ",\"pid\":\"%s\",\"tid\":\"%d\",\"isMainThread\":%s,\"processType\":\"default\",\"processStartupTime\":0,"
        "\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],"
        "\"showMarkersInTimeline\":%s",
        pid.text, (int)tid, tid == process->pid ? "true" : "false", writer->threads ? "false" : "true");
    put_markers(writer, !writer->threads);
    buffer_printf(out, ",\n\"samples\":{\"length\":%zu,\"weightType\":\"tracing-ms\"", writer->samples);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct buffer *column = columns[i].column;
        json_key(json_line(out), columns[i].name);
        out->failed |= column->failed;
        buffer_append(out, column->bytes, column->length);
        buffer_puts(out, "]");
        column->length = 0;
        buffer_puts(column, "[");
        flush(writer);
    }
    buffer_puts(out, "}}");
    writer->samples = writer->last_ns = 0;
    writer->threads++;
}

static const struct profile_sample *sample_of(const struct writer *writer, size_t number)
{
    return &writer->profile->samples[writer->timeline.items[number].sample];
}

static void put_threads(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    size_t count = writer->timeline.count;
    for (size_t i = 0; i < count && !writer->result;) {
        uint32_t number = sample_of(writer, i)->thread;
        const struct profile_thread *thread = &profile->threads[number];
        for (; i < count && sample_of(writer, i)->thread == number; i++)
            put_item(writer, &writer->timeline.items[i]);
        put_unsampled(writer, thread->process);
        put_thread(writer, &profile->processes[thread->process], thread->comm, thread->tid);
    }
    for (uint32_t i = 0; i < profile->process_count && !writer->result; i++) {
        const struct profile_process *process = &profile->processes[i];
        put_unsampled(writer, i);
        if (writer->samples || (!writer->threads && i + 1 == profile->process_count))
            put_thread(writer, process, process->comm, process->pid);
    }
}

/* The profiler hides rows at or after the end, so the end is one interval later, as in its own files. Times are
 * shown relative to the beginning; for a whole profile that is the beginning of the run. */
static void put_range(struct writer *writer, uint64_t interval_ns)
{
    const struct profile *profile = writer->profile;
    for (size_t i = 0; i < profile->mark_count; i++)
        extend_range(writer, profile->marks[i].time_ns);
    if (profile_ns(profile) == profile_whole_ns(profile)) {
        extend_range(writer, 0);
        extend_range(writer, profile->quality.wall_ns);
    }
    if (writer->end_ns < writer->begin_ns)
        return;
    put_ms(&writer->out, "profilingStartTime", writer->begin_ns);
    put_ms(&writer->out, "profilingEndTime", writer->end_ns + interval_ns);
}

static void put_meta(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    const struct profile_quality *quality = &profile->quality;
    uint64_t interval_ns = quality->rate ? 1000 * (uint64_t)MILLISECOND / quality->rate : 1;
    struct buffer *out = &writer->out;
    json_open(json_line(out), "meta", '{');
    put_ms(out, "interval", interval_ns);
    put_ms(out, "startTime", quality->began_ns);
    put_range(writer, interval_ns);
    buffer_printf(out, ",\"preprocessedProfileVersion\":%d,\"version\":24,\"processType\":0,\"stackwalk\":1",
                  FORMAT_VERSION);
    json_text(out, "product", profile->command ? profile->command : "ptprofil");
    buffer_puts(
        out,
        ",\"importedFrom\":\"ptprofil\",\"debug\":false,\"symbolicated\":true,\"pausedRanges\":[],"
        "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,\n"
        "\"extensions\":{\"baseURL\":[],\"id\":[],\"length\":0,\"name\":[]},\n"
        "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},\n"
        "\"markerSchema\":[{\"name\":\"mark\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
        "\"chartLabel\":\"{marker.data.text}\",\"tableLabel\":\"{marker.data.text}\","
        "\"tooltipLabel\":\"{marker.data.text}\","
        "\"fields\":[{\"key\":\"text\",\"label\":\"Text\",\"format\":\"string\"}]}]");
    firefox_tables_categories(json_line(out));
    buffer_puts(out, "}");
}

static void put_all(struct writer *writer)
{
    struct buffer *out = &writer->out;
    buffer_puts(out, "{\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n\"threads\":[");
    put_threads(writer);
    buffer_puts(out, "]");
    put_meta(writer);
    firefox_tables_put(&writer->tables, json_line(out));
    buffer_puts(out, "}\n");
    if (!writer->result)
        writer->result = pack_write(writer->pack, &writer->out);
    if (!writer->result)
        writer->result = pack_end(writer->pack);
}

int report_firefox_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    (void)options;
    struct writer writer = {
        .profile = profile, .begin_ns = UINT64_MAX, .told = calloc(profile->process_count + 1, sizeof *writer.told)};
    writer.result = writer.told ? firefox_tables_init(&writer.tables, profile) : -ENOMEM;
    if (!writer.result)
        writer.result = timeline_init(&writer.timeline, profile, true, TIMELINE_MOST_INSTANTS);
    if (!writer.result)
        writer.result = pack_begin(&writer.pack, stream);
    struct buffer *const buffers[] = {&writer.stacks, &writer.times, &writer.weights, &writer.cpu, &writer.out};
    for (size_t i = 0; i + 1 < sizeof buffers / sizeof *buffers; i++)
        buffer_puts(buffers[i], "[");
    if (!writer.result)
        put_all(&writer);
    firefox_tables_fini(&writer.tables);
    timeline_fini(&writer.timeline);
    pack_free(writer.pack);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        buffer_fini(buffers[i]);
    free(writer.told);
    return writer.result;
}
