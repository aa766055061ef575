/* SPDX-License-Identifier: MIT
 *
 * Differences between ranks, as JSON. */
#include "profile/report/spread.h"

#include "common/base/buffer.h"
#include "common/text/json.h"
#include "common/text/text.h"
#include "profile/report/report.h"

#include <errno.h>

static void put_ranks(struct buffer *out, const struct spread *spread)
{
    json_open(json_line(out), "spread", '{');
    json_number(out, "waiting_ns", spread->waiting_ns);
    json_open(json_line(out), "ranks", '[');
    for (size_t i = 0; i < spread->rank_count; i++) {
        const struct spread_rank *rank = &spread->ranks[i];
        json_open(json_line(out), NULL, '{');
        json_number(out, "rank", rank->number);
        json_number(out, "ns", rank->ns);
        json_number(out, "computing_ns", rank->computing_ns);
        json_number(out, "mpi_ns", rank->mpi_ns);
        json_number(out, "io_ns", rank->io_ns);
        buffer_puts(out, "}");
    }
    buffer_puts(out, "]}");
}

static void put_row(struct buffer *out, const struct spread *spread, const struct spread_row *row, const char *detail)
{
    json_open(json_line(out), NULL, '{');
    json_text(out, "name", row->name);
    if (detail)
        json_text(out, detail, row->detail);
#define PUT(name, value) json_number(out, name, value);
    SPREAD_COLUMNS(PUT)
#undef PUT
    json_open(out, "ns", '[');
    for (size_t i = 0; i < spread->rank_count; i++)
        json_number(out, NULL, row->ns[i]);
    buffer_puts(out, "]}");
}

int spread_put_json(struct buffer *out, const struct profile *profile, const struct report_options *options,
                    FILE *stream)
{
    struct spread spread;
    int result = spread_init(&spread, profile, options);
    result = result == -ENODATA ? 0 : result;
    put_ranks(out, &spread);
    json_open(json_line(out), "rows", '[');
    for (size_t i = 0; i < spread.row_count && !result; i++) {
        put_row(out, &spread, &spread.rows[i], report_by_detail(options->by));
        result = text_write_full(out, stream);
    }
    buffer_puts(out, "]");
    spread_fini(&spread);
    return result;
}
