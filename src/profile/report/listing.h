/* SPDX-License-Identifier: MIT
 *
 * All rows of a profile with their values, for machine-readable formats. Units are fixed: times are whole nanoseconds,
 * shares are fractions of 1. ptprofil-json(5) describes the values. If you change them, change the version in that
 * page, too. */
#ifndef REPORT_LISTING_H
#define REPORT_LISTING_H

#include "common/base/buffer.h"
#include "profile/report/report.h"
#include "profile/report/rows.h"

enum { LISTING_VERSION = 1 };

struct listing {
    struct rows rows;        /* sorted by falling time; with a base, by change */
    uint64_t whole_ns;       /* time that corresponds to a share of 1 */
    size_t columns;          /* number of values in a row */
    const char *detail_name; /* title of the rows' second texts; NULL: none */
};

/* Fills LISTING, which may be uninitialised, with the rows of PROFILE by options->by, compared with options->base if
 * that is not NULL. Returns 0, or -ENOMEM with LISTING empty. */
int listing_init(struct listing *listing, const struct profile *profile, const struct report_options *options);
void listing_fini(struct listing *listing);

/* Returns the name of value COLUMN, which is below listing->columns. */
const char *listing_column(size_t column);

/* Appends value COLUMN of ROW: a number in decimal digits, or true or false. */
void listing_put(struct buffer *out, const struct listing *listing, const struct row *row, size_t column);

#endif
