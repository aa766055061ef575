/* SPDX-License-Identifier: MIT */
#include "profile/report/table_columns.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "profile/report/table_rows.h"

#include <string.h>

/* How programs see a value. */
enum value_kind { NUMBER, DIFFERENCE, FRACTION, TRUTH };

/* clang-format off */
/* The values of a row, in the order of CSV and JSON: enumerator, key, kind, and the value of ROW. */
#define VALUES(VALUE)                                                                                                  \
    VALUE(SAMPLES, "samples", NUMBER, row->samples)                                                                    \
    VALUE(SELF, "self_ns", NUMBER, table_row_ns(row))                                                                  \
    VALUE(TOTAL, "total_ns", NUMBER, table_row_total_ns(row))                                                          \
    VALUE(USER, "user_ns", NUMBER, row->user_ns)                                                                       \
    VALUE(SYSTEM, "system_ns", NUMBER, row->system_ns)                                                                 \
    VALUE(UNSAMPLED, "unsampled_ns", NUMBER, row->unsampled_ns)                                                        \
    VALUE(WAITING, "waiting_ns", NUMBER, row->waiting_ns)                                                              \
    VALUE(ESTIMATED, "estimated_ns", NUMBER, row->estimated_ns)                                                        \
    VALUE(SELF_SHARE, "self_share", FRACTION, table_row_ns(row))                                                       \
    VALUE(TOTAL_SHARE, "total_share", FRACTION, table_row_total_ns(row))                                               \
    /* only in a comparison: */                                                                                        \
    VALUE(BASE_SELF, "base_self_ns", NUMBER, row->base_ns)                                                             \
    VALUE(BASE_TOTAL, "base_total_ns", NUMBER, row->base_total_ns)                                                     \
    VALUE(SELF_CHANGE, "self_change_ns", DIFFERENCE, table_row_change_ns(row))                                         \
    VALUE(TOTAL_CHANGE, "total_change_ns", DIFFERENCE, table_row_total_change_ns(row))                                 \
    VALUE(BASE_SAMPLES, "base_samples", NUMBER, row->base_samples)                                                     \
    VALUE(SELF_BY_CHANCE, "self_change_by_chance", TRUTH, row->by_chance)                                              \
    VALUE(TOTAL_BY_CHANCE, "total_change_by_chance", TRUTH, row->total_by_chance)                                      \
    /* only for people: */                                                                                             \
    VALUE(RUNNING, NULL, NUMBER, row->user_ns + row->system_ns)

enum value {
#define ENUMERATOR(name, key, kind, value) name,
    VALUES(ENUMERATOR)
#undef ENUMERATOR
    FIRST_OF_BASE = BASE_SELF
};

/* The columns for people, in their order. */
static const struct table_column plain[] = {
    {"samples",   TABLE_NUMBER,          TABLE_ALWAYS,          SAMPLES,   false, NULL},
    {"CPU",       TABLE_TIME,            TABLE_ALWAYS,          SELF,      true,  "wall"},
    {"self",      TABLE_SHARE,           TABLE_ALWAYS,          SELF,      false, NULL},
    {"total",     TABLE_SHARE,           TABLE_NEEDS_TOTAL,     TOTAL,     false, NULL},
    {"user",      TABLE_TIME_OF_SAMPLES, TABLE_NEEDS_SPLIT,     USER,      false, NULL},
    {"system",    TABLE_TIME_OF_SAMPLES, TABLE_NEEDS_SPLIT,     SYSTEM,    false, NULL},
    {"running",   TABLE_TIME_OF_SAMPLES, TABLE_NEEDS_NO_SPLIT,  RUNNING,   false, NULL},
    {"waiting",   TABLE_TIME,            TABLE_NEEDS_WAITING,   WAITING,   false, NULL},
    {"unsampled", TABLE_TIME,            TABLE_NEEDS_UNSAMPLED, UNSAMPLED, false, NULL},
};
static const struct table_column compared[] = {
    {"base",      TABLE_TIME,            TABLE_ALWAYS,          BASE_SELF,    true,  NULL},
    {"count",     TABLE_NUMBER,          TABLE_ALWAYS,          BASE_SAMPLES, false, NULL},
    {"CPU",       TABLE_TIME,            TABLE_ALWAYS,          SELF,         true,  "wall"},
    {"count",     TABLE_NUMBER,          TABLE_ALWAYS,          SAMPLES,      false, NULL},
    {"self",      TABLE_CHANGE,          TABLE_ALWAYS,          SELF_CHANGE,  false, NULL},
    {"total",     TABLE_CHANGE,          TABLE_NEEDS_TOTAL,     TOTAL_CHANGE, false, NULL},
};
/* clang-format on */

enum { PLAIN = sizeof plain / sizeof *plain, COMPARED = sizeof compared / sizeof *compared };
_Static_assert((int)PLAIN <= (int)TABLE_MOST_COLUMNS && (int)COMPARED <= (int)TABLE_MOST_COLUMNS,
               "raise TABLE_MOST_COLUMNS");

static const struct {
    const char *key;
    enum value_kind kind;
} values[] = {
#define ITEM(name, key, kind, value) [name] = {key, kind},
    VALUES(ITEM)
#undef ITEM
};

static uint64_t value_of(size_t number, const struct table_row *row)
{
    switch ((enum value)number) {
#define CASE(name, key, kind, value)                                                                                   \
    case name:                                                                                                         \
        return (uint64_t)(value);
        VALUES(CASE)
#undef CASE
    }
    return 0;
}

const char *table_value_key(size_t number, bool compare)
{
    return number < (compare ? sizeof values / sizeof *values : FIRST_OF_BASE) ? values[number].key : NULL;
}

static void put_fraction(struct buffer *out, uint64_t ns, uint64_t whole_ns)
{
    enum { UNIT = 1000000000 };
    uint64_t share = whole_ns ? text_scaled(ns, UNIT, whole_ns) : 0;
    buffer_printf(out, "%u.%09u", (unsigned)(share / UNIT), (unsigned)(share % UNIT));
}

void table_value_put(struct buffer *out, size_t number, const struct table_row *row, uint64_t whole_ns)
{
    uint64_t value = value_of(number, row);
    switch (values[number].kind) {
    case NUMBER:
        buffer_number(out, value);
        break;
    case DIFFERENCE:
        buffer_printf(out, "%lld", (long long)value);
        break;
    case FRACTION:
        put_fraction(out, value, whole_ns);
        break;
    case TRUTH:
        buffer_puts(out, value ? "true" : "false");
    }
}

void table_text_put_csv(struct buffer *out, const char *text)
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

const struct table_column *table_columns(bool compare, size_t *count)
{
    *count = compare ? COMPARED : PLAIN;
    return compare ? compared : plain;
}

/* Puts a change of time, and marks one that chance explains. */
static void put_change(struct buffer *out, int64_t change_ns, bool by_chance, struct text_unit unit)
{
    text_change(out, change_ns, unit);
    buffer_puts(out, by_chance && change_ns ? "~" : " ");
}

void table_column_put(struct buffer *out, const struct table_column *column, const struct table_row *row,
                      struct text_unit unit, uint64_t whole_ns)
{
    uint64_t value = value_of(column->value, row);
    bool only_unsampled = row->unsampled_ns && !row->samples && !row->user_ns && !row->system_ns;
    switch (column->kind) {
    case TABLE_NUMBER:
        buffer_number(out, value);
        break;
    case TABLE_TIME_OF_SAMPLES:
        if (only_unsampled) { /* unknown */
            buffer_puts(out, "-");
            break;
        }
        __attribute__((fallthrough));
    case TABLE_TIME:
        text_time(out, value, unit);
        break;
    case TABLE_SHARE:
        text_percent(out, value, whole_ns);
        buffer_puts(out, "%");
        break;
    case TABLE_CHANGE:
        put_change(out, (int64_t)value, column->value == SELF_CHANGE ? row->by_chance : row->total_by_chance, unit);
    }
}
