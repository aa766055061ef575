/* SPDX-License-Identifier: MIT
 *
 * Differences between ranks, as tables for people and as CSV. */
#include "profile/report/spread.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/report/report.h"
#include "profile/report/table_columns.h"

#include <errno.h>
#include <string.h>

static void put_percent(struct buffer *out, const char *what, uint64_t ns, uint64_t whole_ns)
{
    buffer_puts(out, what);
    text_percent(out, ns, whole_ns);
    buffer_puts(out, " %");
}

/* Puts the key figures: where the time went, and for which rank the others wait. */
static void put_head(struct buffer *out, const struct spread *spread)
{
    uint64_t whole = 0, computing = 0, mpi = 0, io = 0;
    const struct spread_rank *slowest = spread->ranks;
    for (size_t i = 0; i < spread->rank_count; i++) {
        const struct spread_rank *rank = &spread->ranks[i];
        whole += rank->ns;
        computing += rank->computing_ns;
        mpi += rank->mpi_ns;
        io += rank->io_ns;
        slowest = rank->computing_ns > slowest->computing_ns ? rank : slowest;
    }
    uint64_t mean = computing / spread->rank_count;
    buffer_printf(out, "%zu %s: ", spread->rank_count, text_plural(spread->rank_count, "rank", "ranks"));
    put_percent(out, "computing ", computing, whole);
    put_percent(out, ", MPI ", mpi, whole);
    put_percent(out, " (waiting for others about ", spread->waiting_ns, whole);
    put_percent(out, "), I/O ", io, whole);
    if (spread->rank_count > 1) {
        buffer_printf(out, "; slowest rank %u, +", (unsigned)slowest->number);
        text_percent(out, slowest->computing_ns - mean, mean);
        buffer_puts(out, " %");
    }
    buffer_puts(out, "\n\n");
}

/* Puts NS of the rank at index PLACE, or of no rank (SIZE_MAX), as columns. */
static void put_time(struct buffer *out, const struct spread *spread, uint64_t ns, size_t place, struct text_unit unit)
{
    struct buffer text = {0};
    text_time(&text, ns, unit);
    buffer_printf(out, "%9s", text.bytes ? text.bytes : "");
    if (place != SIZE_MAX)
        buffer_printf(out, " %5u", (unsigned)spread->ranks[place].number);
    out->failed |= text.failed;
    buffer_fini(&text);
}

static void put_row(struct buffer *out, const struct spread *spread, const struct spread_row *row,
                    struct text_unit unit, uint64_t whole_ns, const struct report_options *options)
{
    put_time(out, spread, row->sum_ns / spread->rank_count, SIZE_MAX, unit);
    put_time(out, spread, row->min_ns, row->min, unit);
    put_time(out, spread, row->median_ns, SIZE_MAX, unit);
    put_time(out, spread, row->max_ns, row->max, unit);
    put_time(out, spread, row->imbalance_ns, SIZE_MAX, unit);
    buffer_puts(out, "  ");
    text_share(out, row->sum_ns, whole_ns);
    buffer_puts(out, " ");
    text_clean(out, row->name, options->utf8);
    if (*row->detail) {
        buffer_puts(out, "  ");
        text_clean(out, row->detail, options->utf8);
    }
    buffer_puts(out, "\n");
}

int spread_write_text(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct spread spread;
    struct buffer out = {0};
    uint64_t whole = 0;
    int result = spread_init(&spread, profile, options);
    if (result == -ENODATA)
        buffer_puts(&out, "none of the processes is a rank of a parallel job\n");
    result = result == -ENODATA ? 0 : result;
    for (size_t i = 0; i < spread.rank_count; i++)
        whole += spread.ranks[i].ns;
    if (!result && spread.row_count) {
        struct text_unit unit = text_unit_for(spread.rows[0].max_ns);
        size_t left_out = 0;
        put_head(&out, &spread);
        buffer_printf(&out, "%7s %s%7s %s  rank%7s %s%7s %s  rank%9s %s    share  %s\n", "mean", unit.name, "min",
                      unit.name, "median", unit.name, "max", unit.name, "max-mean", unit.name,
                      report_by_name(options->by));
        for (size_t i = 0; i < spread.row_count; i++)
            if ((options->max_rows && i >= options->max_rows) ||
                100.0 * (double)spread.rows[i].sum_ns < options->min_percent * (double)whole)
                left_out++;
            else
                put_row(&out, &spread, &spread.rows[i], unit, whole, options);
        if (left_out)
            buffer_printf(&out, "(%zu %s: -n all shows them)\n", left_out, text_plural(left_out, "other", "others"));
    }
    spread_fini(&spread);
    return text_end(&out, stream, result);
}

static void put_csv_row(struct buffer *out, const struct spread *spread, const struct spread_row *row)
{
    table_text_put_csv(out, row->name);
    buffer_puts(out, ",");
    table_text_put_csv(out, row->detail);
#define PUT(name, value) buffer_printf(out, ",%llu", (unsigned long long)(value));
    SPREAD_COLUMNS(PUT)
#undef PUT
    buffer_puts(out, "\r\n");
}

int spread_write_csv(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct spread spread;
    struct buffer out = {0};
    const char *detail = report_by_detail(options->by);
    int result = spread_init(&spread, profile, options);
    result = result == -ENODATA ? 0 : result;
    buffer_printf(&out, "name,%s", detail ? detail : "detail");
#define PUT(name, value) buffer_puts(&out, "," name);
    SPREAD_COLUMNS(PUT)
#undef PUT
    buffer_puts(&out, "\r\n");
    for (size_t i = 0; i < spread.row_count && !result; i++) {
        put_csv_row(&out, &spread, &spread.rows[i]);
        result = text_write_full(&out, stream);
    }
    spread_fini(&spread);
    return text_end(&out, stream, result);
}
