/* SPDX-License-Identifier: MIT
 *
 * All rows as comma-separated values (RFC 4180): the first line names the columns, and lines end with CR LF. The column
 * self_ns adds up to the profile's time. Names are cleaned as in every format, and quoted if necessary. A name that a
 * spreadsheet would read as a formula begins with an apostrophe. */
#include "profile/report/report.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/profile/profile.h"
#include "profile/report/spread.h"
#include "profile/report/table_collect.h"
#include "profile/report/table_columns.h"
#include "profile/report/table_rows.h"

/* DETAIL: title of the rows' second texts; NULL: they have none. */
static void put_head(struct buffer *out, const char *detail, bool compare)
{
    buffer_puts(out, "name");
    if (detail)
        buffer_printf(out, ",%s", detail);
    for (size_t i = 0; table_value_key(i, compare); i++)
        buffer_printf(out, ",%s", table_value_key(i, compare));
    buffer_puts(out, "\r\n");
}

static void put_row(struct buffer *out, const struct table_row *row, const char *detail, bool compare,
                    uint64_t whole_ns)
{
    table_text_put_csv(out, row->name);
    if (detail) {
        buffer_puts(out, ",");
        table_text_put_csv(out, row->detail);
    }
    for (size_t i = 0; table_value_key(i, compare); i++) {
        buffer_puts(out, ",");
        table_value_put(out, i, row, whole_ns);
    }
    buffer_puts(out, "\r\n");
}

int report_csv_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct table_rows rows = {0};
    struct buffer out = {0};
    const char *detail = report_by_detail(options->by);
    if (options->spread)
        return spread_write_csv(profile, options, stream);
    uint64_t whole_ns = profile_ns(profile);
    int result = table_collect_sorted(&rows, profile, options->by, options, TABLE_SPLIT_NUMBERS);
    put_head(&out, detail, options->base);
    for (size_t i = 0; i < rows.count && !result; i++) {
        put_row(&out, &rows.items[i], detail, options->base, whole_ns);
        result = text_write_full(&out, stream);
    }
    table_rows_fini(&rows);
    return text_end(&out, stream, result);
}
