/* SPDX-License-Identifier: MIT
 *
 * Folded stacks, one for each line: "PROCESS;OUTERMOST;...;INNERMOST WEIGHT", for tools that draw flame graphs. A
 * system call is the innermost frame; unsampled time is "PROCESS;[unsampled]". Equal stacks share a line, and the lines
 * are sorted.
 *
 * The weight is CPU time in microseconds, plus waiting time if that was sampled. Rounding carries over from line to
 * line, so that the weights of the file add up to the rounded time of the profile. A line with weight 0 is omitted.
 *
 * A comparison has two weights, the base's first, for tools that draw differences. */
#include "profile/report/report.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/profile/distinct.h"
#include "profile/profile/profile.h"
#include "profile/profile/stack.h"
#include "profile/report/table_rows.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { NS_PER_UNIT = 1000 };

/* Appends NAME as a frame, as in the flat profile except for the character that separates frames. */
static void put_frame(struct buffer *line, const char *name)
{
    if (line->length)
        buffer_append(line, ";", 1);
    size_t begin = line->length;
    text_clean(line, *name ? name : "[unnamed]", true);
    char *at = line->failed ? NULL : line->bytes + begin;
    while (at && (at = memchr(at, ';', (size_t)(line->bytes + line->length - at))))
        *at = ':';
}

/* Joins a number at the end of a line's stack to the text before it. Otherwise "name 12 345" would look like the two
 * weights of a comparison. */
static void join_number(struct buffer *line)
{
    char *end = line->bytes + line->length;
    char *at = end;
    while (at > line->bytes && (isdigit((unsigned char)at[-1]) || at[-1] == '.'))
        at--;
    while (at < end && at > line->bytes && at[-1] == ' ')
        *--at = '_';
}

static bool put_stack(struct buffer *line, struct stack *stack, const struct profile *profile,
                      const struct profile_sample *sample)
{
    line->length = 0;
    if (!stack_of(stack, profile, sample))
        return false;
    put_frame(line, label_process_of(profile, sample)->comm);
    for (size_t i = stack->count; i; i--)
        put_frame(line, stack->items[i - 1].name);
    return true;
}

/* BASE: adds the time to the base's. */
static int add_line(struct table_rows *lines, struct buffer *line, uint64_t ns, bool base)
{
    if (line->failed)
        return -ENOMEM;
    join_number(line);
    struct table_row *row = table_rows_get(lines, line->bytes, "");
    if (!row)
        return -ENOMEM;
    *(base ? &row->base_ns : &row->user_ns) += ns;
    return 0;
}

/* Adds the lines of PROFILE. BASE: it is the base of a comparison. */
static int collect(struct table_rows *lines, const struct profile *profile, bool base)
{
    struct buffer line = {0};
    struct stack stack = {0};
    struct distinct distinct;
    int result = distinct_init(&distinct, profile);
    for (size_t i = 0; i < distinct.count && !result; i++)
        result = put_stack(&line, &stack, profile, &distinct.items[i])
                     ? add_line(lines, &line, profile_sample_ns(&distinct.items[i]), base)
                     : -ENOMEM;
    for (size_t i = 0; i < profile->process_count && !result; i++) {
        line.length = 0;
        put_frame(&line, profile->processes[i].comm);
        put_frame(&line, profile_unsampled_name(profile));
        uint64_t unsampled_ns = profile_unsampled_ns(&profile->processes[i]);
        if (unsampled_ns)
            result = add_line(lines, &line, unsampled_ns, base);
    }
    stack_fini(&stack);
    distinct_fini(&distinct);
    buffer_fini(&line);
    return result;
}

/* Weights of the lines, in reading order. */
struct weights {
    uint64_t passed_ns, written;
};

static uint64_t next_weight(struct weights *weights, uint64_t ns)
{
    weights->passed_ns += ns;
    uint64_t weight = text_scaled(weights->passed_ns, 1, NS_PER_UNIT) - weights->written;
    weights->written += weight;
    return weight;
}

static int put_lines(const struct table_rows *lines, bool compare, FILE *stream)
{
    struct buffer out = {0};
    struct weights weights = {0, 0}, before = {0, 0};
    int result = 0;
    for (size_t i = 0; i < lines->count && !result; i++) {
        const struct table_row *line = &lines->items[i];
        uint64_t weight = next_weight(&weights, line->user_ns), base = next_weight(&before, line->base_ns);
        if (!weight && !base)
            continue;
        buffer_puts(&out, line->name);
        if (compare)
            buffer_printf(&out, " %llu", (unsigned long long)base);
        buffer_printf(&out, " %llu\n", (unsigned long long)weight);
        result = text_write_full(&out, stream);
    }
    return text_end(&out, stream, result);
}

int report_folded_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct table_rows lines = {0};
    int result = options->base ? collect(&lines, options->base, true) : 0;
    if (!result)
        result = collect(&lines, profile, false);
    table_rows_sort_by_name(&lines);
    if (!result)
        result = put_lines(&lines, options->base != NULL, stream);
    table_rows_fini(&lines);
    return result;
}
