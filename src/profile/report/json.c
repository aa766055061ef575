/* SPDX-License-Identifier: MIT
 *
 * All rows as JSON, with the facts of the summary: see ptprofil-json(5). The members self_ns add up to the profile's
 * time. */
#include "profile/report/report.h"

#include "common/model/quality.h"
#include "common/text/json.h"
#include "common/text/text.h"
#include "profile/profile/profile.h"
#include "profile/report/spread.h"
#include "profile/report/table_collect.h"
#include "profile/report/table_columns.h"
#include "profile/report/table_rows.h"

enum { FORMAT_VERSION = 1 }; /* of the format, as in ptprofil-json(5) */

struct number {
    const char *key;
    uint64_t value;
};

static void put_numbers(struct buffer *out, const struct number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_number(out, numbers[i].key, numbers[i].value);
}

#define PUT_NUMBERS(out, ...)                                                                                          \
    put_numbers(out, (const struct number[]){__VA_ARGS__},                                                             \
                sizeof((const struct number[]){__VA_ARGS__}) / sizeof(struct number))

static uint64_t samples_cut(const struct profile *profile, enum profile_cut cut)
{
    uint64_t samples = 0;
    for (size_t i = 0; i < profile->sample_count; i++)
        samples += profile->samples[i].cut == cut ? profile->samples[i].count : 0;
    return samples;
}

/* Puts the totals of the shown part. */
static void put_whole(struct buffer *out, const struct profile *profile)
{
    json_open(json_line(out), "whole", '{');
    PUT_NUMBERS(out, {"ns", profile_ns(profile)}, {"cpu_ns", profile_cpu_ns(profile)},
                {"waiting_ns", profile_wait_ns(profile)}, {"unsampled_ns", profile_all_unsampled_ns(profile)},
                {"estimated_ns", profile_estimated_ns(profile)}, {"samples", profile_samples(profile)},
                {"process_images", profile->process_count},
                {"truncated_stacks", samples_cut(profile, PROFILE_TRUNCATED)},
                {"unknown_stacks", samples_cut(profile, PROFILE_UNKNOWN)},
                {"merged_stacks", samples_cut(profile, PROFILE_MERGED)});
    buffer_puts(out, "}");
}

/* Puts how the profile was recorded. */
static void put_recording(struct buffer *out, const struct profile_quality *quality)
{
    json_open(json_line(out), "recording", '{');
    PUT_NUMBERS(out, {"began_ns", quality->began_ns}, {"wall_ns", quality->wall_ns}, {"off_ns", quality->off_ns},
                {"rate_hz", quality->rate}, {"last_rate_hz", profile_last_rate(quality)},
                {"lowest_rate_hz", quality->lowest_rate}, {"samples", quality->samples}, {"due", quality->due},
                {"pause_median_ns", quality->pause_median_ns}, {"pause_p99_ns", quality->pause_p99_ns},
                {"supervisor_cpu_ns", quality->supervisor_cpu_ns});
    json_open(json_line(out), "missing", '{');
#define PUT(name, number, key, text)                                                                                   \
    if (*key)                                                                                                          \
        json_number(out, key, quality->counters[QUALITY_##name]);
    QUALITY_COUNTERS(PUT)
#undef PUT
    buffer_puts(out, "}");
    json_number(json_line(out), "ended_by_signal", quality->signal);
    json_text(json_line(out), "ended_early", quality->ended_early);
    json_open(json_line(out), "rate_changes", '[');
    for (size_t i = 0; i < quality->change_count; i++) {
        json_open(out, NULL, '{');
        PUT_NUMBERS(out, {"time_ns", quality->changes[i].at_ns}, {"rate_hz", quality->changes[i].hz});
        buffer_puts(out, "}");
    }
    buffer_puts(out, "]}");
}

static void put_not_sampled(struct buffer *out, const struct profile *profile)
{
    json_open(json_line(out), "not_sampled", '[');
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        if (!process->not_sampled)
            continue;
        json_open(json_line(out), NULL, '{');
        json_text(out, "name", process->comm);
        PUT_NUMBERS(out, {"pid", (uint64_t)process->pid}, {"image", process->image});
        json_text(out, "why", process->not_sampled);
        buffer_puts(out, "}");
    }
    buffer_puts(out, "]");
}

static void put_marks(struct buffer *out, const struct profile *profile)
{
    json_open(json_line(out), "marks", '[');
    for (size_t i = 0; i < profile->mark_count; i++) {
        json_open(json_line(out), NULL, '{');
        json_number(out, "time_ns", profile->marks[i].time_ns);
        json_text(out, "text", profile->marks[i].text);
        buffer_puts(out, "}");
    }
    buffer_puts(out, "]");
}

/* Puts the members that describe PROFILE. */
static void put_about(struct buffer *out, const struct profile *profile)
{
    json_text(out, "command", profile->command);
    json_text(json_line(out), "clock", profile->quality.wall ? "wall" : "cpu");
    put_whole(out, profile);
    put_recording(out, &profile->quality);
    put_not_sampled(out, profile);
    put_marks(out, profile);
}

static void put_head(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    buffer_printf(out, "{\"format\":\"ptprofil\",\"version\":%d", FORMAT_VERSION);
    put_about(json_line(out), profile);
    json_plain(json_line(out), "base", options->base ? "{" : "null");
    if (options->base) {
        put_about(out, options->base);
        buffer_puts(out, "}");
    }
    json_texts(json_line(out), "filters", options->filters, options->filter_count);
    json_text(json_line(out), "by", report_by_name(options->by));
}

static void put_row(struct buffer *out, const struct table_row *row, const struct report_options *options,
                    uint64_t whole_ns)
{
    const char *detail = report_by_detail(options->by);
    json_open(json_line(out), NULL, '{');
    json_text(out, "name", row->name);
    if (detail)
        json_text(out, detail, row->detail);
    for (size_t i = 0; table_value_key(i, options->base); i++) {
        json_key(out, table_value_key(i, options->base));
        table_value_put(out, i, row, whole_ns);
    }
    buffer_puts(out, "}");
}

static int put_rows(struct buffer *out, const struct profile *profile, const struct report_options *options,
                    FILE *stream)
{
    struct table_rows rows = {0};
    uint64_t whole_ns = profile_ns(profile);
    int result = table_collect_sorted(&rows, profile, options->by, options, TABLE_SPLIT_NUMBERS);
    json_open(json_line(out), "rows", '[');
    for (size_t i = 0; i < rows.count && !result; i++) {
        put_row(out, &rows.items[i], options, whole_ns);
        result = text_write_full(out, stream);
    }
    buffer_puts(out, "]");
    table_rows_fini(&rows);
    return result;
}

int report_json_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct buffer out = {0};
    put_head(&out, profile, options);
    int result =
        options->spread ? spread_put_json(&out, profile, options, stream) : put_rows(&out, profile, options, stream);
    buffer_puts(&out, "}\n");
    return text_end(&out, stream, result);
}
