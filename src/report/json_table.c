/* SPDX-License-Identifier: MIT
 *
 * All rows as JSON, with what the summary tells: ptprofil-json(5) describes it. The members self_ns add up to the
 * profile's time. */
#include "report/report.h"

#include "text/json.h"
#include "report/listing.h"
#include "text/text.h"

static void put_text(struct buffer *out, const char *name, const char *text)
{
    buffer_printf(out, "\"%s\":", name);
    if (text)
        json_put_text(out, text);
    else
        buffer_puts(out, "null");
}

/* Numbers by name, with commas between them. */
struct number {
    const char *name;
    uint64_t value;
};

static void put_numbers(struct buffer *out, const struct number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buffer_printf(out, "%s\"%s\":%llu", i ? "," : "", numbers[i].name, (unsigned long long)numbers[i].value);
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

/* What is shown. */
static void put_whole(struct buffer *out, const struct profile *profile)
{
    uint64_t unsampled_ns = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        unsampled_ns += profile_unsampled_ns(&profile->processes[i]);
    buffer_puts(out, ",\n\"whole\":{");
    PUT_NUMBERS(out, {"ns", profile_ns(profile)}, {"cpu_ns", profile_cpu_ns(profile)},
                {"waiting_ns", profile_wait_ns(profile)}, {"unsampled_ns", unsampled_ns},
                {"samples", profile_samples(profile)}, {"process_images", profile->process_count},
                {"truncated_stacks", samples_cut(profile, PROFILE_TRUNCATED)},
                {"unknown_stacks", samples_cut(profile, PROFILE_UNKNOWN)},
                {"merged_stacks", samples_cut(profile, PROFILE_MERGED)});
    buffer_puts(out, "}");
}

static void put_missing(struct buffer *out, const struct profile_quality *quality)
{
    const char *comma = "";
#define PUT(name, number, key, text)                                                                                   \
    if (*key) {                                                                                                        \
        buffer_printf(out, "%s\"" key "\":%llu", comma, (unsigned long long)quality->name);                            \
        comma = ",";                                                                                                   \
    }
    QUALITY_COUNTERS(PUT)
#undef PUT
}

/* How it was recorded. */
static void put_recording(struct buffer *out, const struct profile_quality *quality)
{
    buffer_puts(out, ",\n\"recording\":{");
    PUT_NUMBERS(out, {"began_ns", quality->began_ns}, {"wall_ns", quality->wall_ns}, {"off_ns", quality->off_ns},
                {"rate_hz", quality->rate}, {"last_rate_hz", profile_last_rate(quality)},
                {"lowest_rate_hz", quality->lowest_rate}, {"samples", quality->samples}, {"due", quality->due},
                {"pause_median_ns", quality->pause_median_ns}, {"pause_p99_ns", quality->pause_p99_ns},
                {"supervisor_cpu_ns", quality->supervisor_cpu_ns});
    buffer_puts(out, ",\n  \"missing\":{");
    put_missing(out, quality);
    buffer_puts(out, "},\n  ");
    PUT_NUMBERS(out, {"ended_by_signal", quality->signal});
    buffer_puts(out, ",\n  ");
    put_text(out, "ended_early", quality->ended_early);
    buffer_puts(out, ",\n  \"rate_changes\":[");
    for (size_t i = 0; i < quality->change_count; i++) {
        buffer_puts(out, i ? ",{" : "{");
        PUT_NUMBERS(out, {"time_ns", quality->changes[i].at_ns}, {"rate_hz", quality->changes[i].hz});
        buffer_puts(out, "}");
    }
    buffer_puts(out, "]}");
}

static void put_not_sampled(struct buffer *out, const struct profile *profile)
{
    bool any = false;
    buffer_puts(out, ",\n\"not_sampled\":[");
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        if (!process->not_sampled)
            continue;
        buffer_puts(out, any ? ",\n{" : "\n{");
        put_text(out, "name", process->comm);
        buffer_puts(out, ",");
        PUT_NUMBERS(out, {"pid", (uint64_t)process->pid}, {"image", process->image});
        buffer_puts(out, ",");
        put_text(out, "why", process->not_sampled);
        buffer_puts(out, "}");
        any = true;
    }
    buffer_puts(out, "]");
}

static void put_marks(struct buffer *out, const struct profile *profile)
{
    buffer_puts(out, ",\n\"marks\":[");
    for (size_t i = 0; i < profile->mark_count; i++) {
        buffer_puts(out, i ? ",\n{" : "\n{");
        PUT_NUMBERS(out, {"time_ns", profile->marks[i].time_ns});
        buffer_puts(out, ",");
        put_text(out, "text", profile->marks[i].text);
        buffer_puts(out, "}");
    }
    buffer_puts(out, "]");
}

/* The members of an object that say what PROFILE is. */
static void put_about(struct buffer *out, const struct profile *profile)
{
    put_text(out, "command", profile->command);
    buffer_puts(out, ",\n");
    put_text(out, "clock", profile->quality.wall ? "wall" : "cpu");
    put_whole(out, profile);
    put_recording(out, &profile->quality);
    put_not_sampled(out, profile);
    put_marks(out, profile);
}

static void put_head(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    buffer_printf(out, "{\"format\":\"ptprofil\",\"version\":%d,\n", LISTING_VERSION);
    put_about(out, profile);
    buffer_puts(out, ",\n\"base\":");
    if (options->base) {
        buffer_puts(out, "{");
        put_about(out, options->base);
        buffer_puts(out, "}");
    } else
        buffer_puts(out, "null");
    buffer_puts(out, ",\n\"filters\":");
    json_put_texts(out, options->filters, options->filter_count);
    buffer_puts(out, ",\n");
    put_text(out, "by", report_by_name(options->by));
    buffer_puts(out, ",\n\"rows\":[");
}

static void put_row(struct buffer *out, const struct listing *listing, const struct row *row)
{
    buffer_puts(out, "{");
    put_text(out, "name", row->name);
    if (listing->detail_name) {
        buffer_puts(out, ",");
        put_text(out, listing->detail_name, row->detail);
    }
    for (size_t i = 0; i < listing->columns; i++) {
        buffer_printf(out, ",\"%s\":", listing_column(i));
        listing_put(out, listing, row, i);
    }
    buffer_puts(out, "}");
}

int report_json_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct listing listing;
    struct buffer out = {0};
    int result = listing_init(&listing, profile, options);
    put_head(&out, profile, options);
    for (size_t i = 0; i < listing.rows.count && !result; i++) {
        buffer_puts(&out, i ? ",\n" : "\n");
        put_row(&out, &listing, &listing.rows.items[i]);
        result = text_write_full(&out, stream);
    }
    buffer_puts(&out, "]}\n");
    listing_fini(&listing);
    return text_end(&out, stream, result);
}
