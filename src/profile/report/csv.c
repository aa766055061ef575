/* SPDX-License-Identifier: MIT
 *
 * All rows as comma-separated values (RFC 4180): the first line names the columns, and lines end with CR LF. The column
 * self_ns adds up to the profile's time. Names are cleaned as in every format, and quoted if necessary. A name that a
 * spreadsheet would read as a formula begins with an apostrophe. */
#include "profile/report/report.h"

#include "common/text/text.h"
#include "profile/report/csv.h"
#include "profile/report/listing.h"
#include "profile/report/spread.h"

#include <string.h>

void csv_put_field(struct buffer *out, const char *text)
{
    struct buffer clean = {0};
    text_clean(&clean, text, true);
    const char *at = clean.bytes ? clean.bytes : "";
    bool quoted = strpbrk(at, "\",") || *at == ' ' || (*at && at[strlen(at) - 1] == ' ');
    buffer_puts(out, quoted ? "\"" : "");
    buffer_puts(out, *at && strchr("=+-@", *at) ? "'" : ""); /* otherwise a spreadsheet reads it as a formula */
    for (const char *quote; (quote = strchr(at, '"')); at = quote + 1) {
        buffer_append(out, at, (size_t)(quote - at));
        buffer_puts(out, "\"\"");
    }
    buffer_puts(out, at);
    buffer_puts(out, quoted ? "\"" : "");
    out->failed |= clean.failed;
    buffer_fini(&clean);
}

static void put_head(struct buffer *out, const struct listing *listing)
{
    buffer_puts(out, "name");
    if (listing->detail_name)
        buffer_printf(out, ",%s", listing->detail_name);
    for (size_t i = 0; i < listing->columns; i++)
        buffer_printf(out, ",%s", listing_column(i));
    buffer_puts(out, "\r\n");
}

static void put_row(struct buffer *out, const struct listing *listing, const struct row *row)
{
    csv_put_field(out, row->name);
    if (listing->detail_name) {
        buffer_puts(out, ",");
        csv_put_field(out, row->detail);
    }
    for (size_t i = 0; i < listing->columns; i++) {
        buffer_puts(out, ",");
        listing_put(out, listing, row, i);
    }
    buffer_puts(out, "\r\n");
}

int report_csv_write(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct listing listing;
    struct buffer out = {0};
    if (options->spread)
        return spread_write_csv(profile, options, stream);
    int result = listing_init(&listing, profile, options);
    put_head(&out, &listing);
    for (size_t i = 0; i < listing.rows.count && !result; i++) {
        put_row(&out, &listing, &listing.rows.items[i]);
        result = text_write_full(&out, stream);
    }
    listing_fini(&listing);
    return text_end(&out, stream, result);
}
