/* SPDX-License-Identifier: MIT */
#include "profile/report/table_rows.h"

#include "profile/profile/noise.h"

#include <stdlib.h>
#include <string.h>

static void row_fini(struct table_row *row)
{
    free(row->name);
    free(row->detail);
}

void table_rows_fini(struct table_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        row_fini(&rows->items[i]);
    free(rows->items);
    hash_fini(&rows->index);
    memset(rows, 0, sizeof *rows);
}

static bool is_row(const void *owner, uint32_t number, const void *key)
{
    const struct table_rows *rows = owner;
    const char *const *texts = key;
    const struct table_row *row = &rows->items[number];
    return !strcmp(row->name, texts[0]) && !strcmp(row->detail, texts[1]);
}

static struct table_row *append(struct table_rows *rows, uint64_t value, const char *name, const char *detail)
{
    struct table_row row = {.name = strdup(name), .detail = strdup(detail)};
    uint32_t number = row.name && row.detail ? HASH_APPEND(rows, value, &row) : HASH_NONE;
    if (number != HASH_NONE)
        return &rows->items[number];
    free(row.name);
    free(row.detail);
    return NULL;
}

struct table_row *table_rows_get(struct table_rows *rows, const char *name, const char *detail)
{
    const char *key[] = {name, detail};
    uint64_t value = hash_bytes(name, strlen(name)) ^ hash_number(hash_bytes(detail, strlen(detail)));
    if (rows->count && !rows->index.room)
        return NULL;
    uint32_t number = hash_find(&rows->index, value, is_row, rows, key);
    return number == HASH_NONE ? append(rows, value, name, detail) : &rows->items[number];
}

uint64_t table_row_ns(const struct table_row *row)
{
    return row->user_ns + row->system_ns + row->unsampled_ns + row->waiting_ns;
}

uint64_t table_row_total_ns(const struct table_row *row)
{
    return table_row_ns(row) + row->below_ns;
}

int64_t table_row_change_ns(const struct table_row *row)
{
    return (int64_t)(table_row_ns(row) - row->base_ns);
}

int64_t table_row_total_change_ns(const struct table_row *row)
{
    return (int64_t)(table_row_total_ns(row) - row->base_total_ns);
}

void table_row_add(struct table_row *sum, const struct table_row *more)
{
    sum->base_ns += more->base_ns;
    sum->base_samples += more->base_samples;
    sum->samples += more->samples;
    sum->user_ns += more->user_ns;
    sum->system_ns += more->system_ns;
    sum->unsampled_ns += more->unsampled_ns;
    sum->estimated_ns += more->estimated_ns;
    sum->waiting_ns += more->waiting_ns;
}

static int by_name(const void *left, const void *right)
{
    const struct table_row *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->detail, b->detail);
}

static int falling(uint64_t left, uint64_t right)
{
    return left == right ? 0 : left < right ? 1 : -1;
}

static int by_self(const void *left, const void *right)
{
    int order = falling(table_row_ns(left), table_row_ns(right));
    if (!order)
        order = falling(table_row_total_ns(left), table_row_total_ns(right));
    return order ? order : by_name(left, right);
}

static int by_total(const void *left, const void *right)
{
    int order = falling(table_row_total_ns(left), table_row_total_ns(right));
    return order ? order : by_self(left, right);
}

static int by_amount(int64_t left, int64_t right)
{
    uint64_t a = left < 0 ? -(uint64_t)left : (uint64_t)left, b = right < 0 ? -(uint64_t)right : (uint64_t)right;
    return falling(a, b);
}

static int by_change(const void *left, const void *right)
{
    int order = by_amount(table_row_change_ns(left), table_row_change_ns(right));
    if (!order)
        order = by_amount(table_row_total_change_ns(left), table_row_total_change_ns(right));
    return order ? order : by_name(left, right);
}

static void sort(struct table_rows *rows, int (*order)(const void *, const void *))
{
    hash_fini(&rows->index); /* its numbers are no longer valid */
    if (rows->count)
        qsort(rows->items, rows->count, sizeof *rows->items, order);
}

void table_rows_sort(struct table_rows *rows)
{
    sort(rows, by_self);
}

void table_rows_sort_by_total(struct table_rows *rows)
{
    sort(rows, by_total);
}

void table_rows_sort_by_change(struct table_rows *rows)
{
    sort(rows, by_change);
}

void table_rows_sort_by_name(struct table_rows *rows)
{
    sort(rows, by_name);
}

void table_rows_judge(struct table_rows *rows, const struct noise *noise)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct table_row *row = &rows->items[i];
        uint64_t samples = row->samples + row->below_samples;
        row->by_chance = noise_explains(noise, table_row_change_ns(row), row->samples, row->base_samples);
        row->total_by_chance = noise_explains(noise, table_row_total_change_ns(row), samples, row->base_total_samples);
    }
}

static bool is_large(int64_t change_ns, double least, bool by_chance)
{
    double change = (double)change_ns;
    return (change >= least || -change >= least) && !(by_chance && least > 0);
}

static bool reaches(const struct table_row *row, double least, const struct table_rows_limits *limits)
{
    if (!limits->changes)
        return (double)table_row_total_ns(row) >= least && (!limits->own || table_row_ns(row));
    return is_large(table_row_change_ns(row), least, row->by_chance) ||
           is_large(table_row_total_change_ns(row), least, row->total_by_chance);
}

size_t table_rows_cut(struct table_rows *rows, const struct table_rows_limits *limits, struct table_row *rest)
{
    double least = limits->min_percent / 100 * (double)limits->whole_ns;
    size_t shown = 0, last = 0;

    *rest = (struct table_row){0};
    for (size_t i = 0; i < rows->count; i++) {
        struct table_row *row = &rows->items[i];
        row->left_out = (limits->most && shown >= limits->most) || !reaches(row, least, limits);
        shown += !row->left_out;
        last = row->left_out ? i : last;
    }
    if (shown + 1 == rows->count && (!limits->own || table_row_ns(&rows->items[last]))) {
        rows->items[last].left_out = false;
        shown++;
    }
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].left_out)
            table_row_add(rest, &rows->items[i]);
    return rows->count - shown;
}
