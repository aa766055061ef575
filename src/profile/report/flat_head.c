/* SPDX-License-Identifier: MIT
 *
 * The heading of a table for people. */
#include "profile/report/flat.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/profile/profile.h"
#include "profile/report/table.h"

#include <string.h>

static void put_count(struct buffer *out, uint64_t count, const char *one, const char *many)
{
    buffer_printf(out, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
}

/* Puts TITLE and the command, in one line that is cut to the width. */
static void put_command(struct buffer *out, const char *title, const struct profile *profile,
                        const struct report_options *options)
{
    struct buffer clean = {0};
    if (!profile->command)
        return;
    buffer_puts(&clean, title);
    text_clean(&clean, profile->command, options->utf8);
    text_cut(out, clean.bytes ? clean.bytes : "", options->width ? options->width : UINT32_MAX, 0, options->utf8);
    buffer_puts(out, "\n");
    out->failed |= clean.failed;
    buffer_fini(&clean);
}

static void put_difference(struct buffer *out, uint64_t ns, uint64_t base_ns, bool wall)
{
    uint64_t amount = ns > base_ns ? ns - base_ns : base_ns - ns;
    text_duration(out, ns);
    buffer_puts(out, wall ? " running and waiting, " : " of CPU time, ");
    text_duration(out, amount);
    if (base_ns) {
        buffer_puts(out, " (");
        text_percent(out, amount, base_ns);
        buffer_puts(out, " %)");
    }
    buffer_printf(out, " %s than the base's ", ns < base_ns ? "less" : "more");
    text_duration(out, base_ns);
}

static void put_amounts(struct buffer *out, const struct profile *profile)
{
    uint64_t samples = profile_samples(profile);
    text_duration(out, profile_cpu_ns(profile));
    if (profile->quality.wall) {
        buffer_puts(out, " running and ");
        text_duration(out, profile_wait_ns(profile));
        buffer_puts(out, " waiting");
    } else
        buffer_puts(out, " of CPU time");
    if (profile->quality.wall_ns) {
        buffer_puts(out, ", ");
        text_duration(out, profile->quality.wall_ns);
        buffer_puts(out, " elapsed");
    }
    buffer_puts(out, ", ");
    put_count(out, samples, "sample", "samples");
    if (profile->process_count > 1) {
        buffer_puts(out, ", ");
        put_count(out, profile->process_count, "process", "processes and execs");
    }
    if (profile->quality.signal)
        buffer_printf(out, "; ended by signal %u (%s)", (unsigned)profile->quality.signal,
                      strsignal((int)profile->quality.signal));
}

/* Counts how many of the COUNT OPTIONS are the first option, repeated with other arguments. */
static size_t same_options(char *const *options, size_t count)
{
    size_t same = 1, name = strcspn(options[0], "=");
    while (same < count && strcspn(options[same], "=") == name && !strncmp(options[same], options[0], name))
        same++;
    return same;
}

/* Puts the options that selected the samples, and the part of PROFILE that each one kept. */
static void put_filters(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    struct buffer line = {0};
    for (size_t i = 0, same; i < options->filter_count && profile->left_ns; i += same) {
        same = same_options(&options->filters[i], options->filter_count - i);
        buffer_puts(&line, i ? "and " : "");
        for (size_t one = i; one < i + same; one++) {
            text_clean(&line, options->filters[one], options->utf8);
            buffer_puts(&line, one + 1 < i + same ? " " : ": ");
        }
        text_percent(&line, profile->left_ns[i], profile_whole_ns(profile));
        buffer_puts(&line, " % of ");
        text_duration(&line, profile_whole_ns(profile));
        text_cut(out, line.bytes ? line.bytes : "", options->width ? options->width : UINT32_MAX, 0, options->utf8);
        buffer_puts(out, "\n");
        line.length = 0;
    }
    out->failed |= line.failed;
    buffer_fini(&line);
}

void flat_head_put(struct buffer *out, const struct profile *profile, const struct report_options *options)
{
    put_command(out, "", profile, options);
    if (options->base) {
        put_command(out, "base: ", options->base, options);
        put_difference(out, profile_ns(profile), profile_ns(options->base), table_is_wall(profile, options));
    } else
        put_amounts(out, profile);
    buffer_puts(out, "\n");
    put_filters(out, profile, options);
    buffer_puts(out, "\n");
}
