/* SPDX-License-Identifier: MIT */
#include "profile/report/listing.h"

#include "common/text/text.h"
#include "profile/report/flat_rows.h"

/* Columns from FIRST_OF_BASE on exist only in a comparison. */
enum column {
    SAMPLES,
    SELF,
    TOTAL,
    USER,
    SYSTEM,
    UNSAMPLED,
    WAITING,
    ESTIMATED,
    SELF_SHARE,
    TOTAL_SHARE,
    FIRST_OF_BASE,
    BASE_SELF = FIRST_OF_BASE,
    BASE_TOTAL,
    SELF_CHANGE,
    TOTAL_CHANGE,
    BASE_SAMPLES,
    SELF_BY_CHANCE,
    TOTAL_BY_CHANCE,
    COLUMNS
};

static const char *const names[] = {
    [SAMPLES] = "samples",
    [SELF] = "self_ns",
    [TOTAL] = "total_ns",
    [USER] = "user_ns",
    [SYSTEM] = "system_ns",
    [UNSAMPLED] = "unsampled_ns",
    [WAITING] = "waiting_ns",
    [ESTIMATED] = "estimated_ns",
    [SELF_SHARE] = "self_share",
    [TOTAL_SHARE] = "total_share",
    [BASE_SELF] = "base_self_ns",
    [BASE_TOTAL] = "base_total_ns",
    [SELF_CHANGE] = "self_change_ns",
    [TOTAL_CHANGE] = "total_change_ns",
    [BASE_SAMPLES] = "base_samples",
    [SELF_BY_CHANCE] = "self_change_by_chance",
    [TOTAL_BY_CHANCE] = "total_change_by_chance",
};

const char *listing_column(size_t column)
{
    return names[column];
}

int listing_init(struct listing *listing, const struct profile *profile, const struct report_options *options)
{
    const struct profile *base = options->base;
    *listing = (struct listing){
        .whole_ns = profile_ns(profile),
        .columns = base ? COLUMNS : FIRST_OF_BASE,
        .detail_name = report_by_detail(options->by),
    };
    int result = flat_rows_sorted(&listing->rows, profile, options->by, options, FLAT_NUMBERS);
    if (result)
        listing_fini(listing);
    return result;
}

void listing_fini(struct listing *listing)
{
    rows_fini(&listing->rows);
    *listing = (struct listing){0};
}

static void put_share(struct buffer *out, uint64_t ns, uint64_t whole_ns)
{
    enum { UNIT = 1000000000 };
    uint64_t share = whole_ns ? text_scaled(ns, UNIT, whole_ns) : 0;
    buffer_printf(out, "%u.%09u", (unsigned)(share / UNIT), (unsigned)(share % UNIT));
}

void listing_put(struct buffer *out, const struct listing *listing, const struct row *row, size_t column)
{
    const uint64_t numbers[] = {
        [SAMPLES] = row->samples,           [SELF] = row_ns(row),
        [TOTAL] = row_total_ns(row),        [USER] = row->user_ns,
        [SYSTEM] = row->system_ns,          [UNSAMPLED] = row->unsampled_ns,
        [ESTIMATED] = row->estimated_ns,    [WAITING] = row->waiting_ns,
        [BASE_SELF] = row->base_ns,         [BASE_TOTAL] = row->base_total_ns,
        [BASE_SAMPLES] = row->base_samples,
    };
    switch (column) {
    case SELF_SHARE:
        put_share(out, row_ns(row), listing->whole_ns);
        break;
    case TOTAL_SHARE:
        put_share(out, row_total_ns(row), listing->whole_ns);
        break;
    case SELF_CHANGE:
        buffer_printf(out, "%lld", (long long)row_change_ns(row));
        break;
    case TOTAL_CHANGE:
        buffer_printf(out, "%lld", (long long)row_total_change_ns(row));
        break;
    case SELF_BY_CHANCE:
        buffer_puts(out, row->by_chance ? "true" : "false");
        break;
    case TOTAL_BY_CHANCE:
        buffer_puts(out, row->total_by_chance ? "true" : "false");
        break;
    default:
        buffer_number(out, numbers[column]);
    }
}
