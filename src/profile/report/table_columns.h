/* SPDX-License-Identifier: MIT
 *
 * The columns of tables: the values of a row for programs (CSV and JSON), and the columns that people see.
 * table_columns.c lists both. doc/HOWTO.md has the steps to add one.
 *
 * Values for programs have fixed units: times are whole nanoseconds, shares are fractions of 1. ptprofil-json(5)
 * describes them. If you change them, change the version in that page, too. */
#ifndef REPORT_TABLE_COLUMNS_H
#define REPORT_TABLE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_row;

struct buffer;
struct text_unit;

/* Returns the key of value NUMBER, counted from 0. NULL if there are no more. COMPARE: also the values of a comparison.
 */
const char *table_value_key(size_t number, bool compare);

/* Appends value NUMBER of ROW: a number in decimal digits, or true or false. WHOLE_NS: a share of 1. */
void table_value_put(struct buffer *out, size_t number, const struct table_row *row, uint64_t whole_ns);

/* Appends TEXT as a field of CSV (RFC 4180): cleaned as in every format, and quoted if necessary. */
void table_text_put_csv(struct buffer *out, const char *text);

/* How a cell looks. */
enum table_column_kind {
    TABLE_NUMBER,
    TABLE_TIME,
    TABLE_TIME_OF_SAMPLES, /* "-" in a row without samples */
    TABLE_SHARE,
    TABLE_CHANGE /* of a time, with a mark if chance explains it */
};

/* Which tables have a column. */
enum table_column_need {
    TABLE_ALWAYS,
    TABLE_NEEDS_TOTAL,    /* rows can contain callees, so that the sum of several rows means nothing */
    TABLE_NEEDS_SPLIT,    /* user and system time have columns of their own, */
    TABLE_NEEDS_NO_SPLIT, /* or share one, because two do not fit beside the waiting time */
    TABLE_NEEDS_WAITING,
    TABLE_NEEDS_UNSAMPLED
};

/* A column that people see. */
struct table_column {
    const char *title;
    enum table_column_kind kind;
    enum table_column_need need;
    size_t value;           /* number in the list of values */
    bool with_unit;         /* the title also shows the unit */
    const char *wall_title; /* title if time without a CPU is included; NULL: the same */
};

enum { TABLE_MOST_COLUMNS = 12 }; /* with room for more */

/* Returns the columns, the leftmost first, and sets *COUNT to their number, at most TABLE_MOST_COLUMNS. COMPARE: those
 * of a comparison. */
const struct table_column *table_columns(bool compare, size_t *count);

/* Appends the cell of ROW in COLUMN, with times in UNIT. WHOLE_NS: 100 %. */
void table_column_put(struct buffer *out, const struct table_column *column, const struct table_row *row,
                      struct text_unit unit, uint64_t whole_ns);

#endif
