/* SPDX-License-Identifier: MIT */
#include "profile/report/rows.h"

#include <stdlib.h>
#include <string.h>

static void row_fini(struct row *row)
{
    free(row->name);
    free(row->detail);
}

void rows_fini(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        row_fini(&rows->items[i]);
    free(rows->items);
    hash_fini(&rows->index);
    memset(rows, 0, sizeof *rows);
}

static bool is_row(const void *owner, uint32_t number, const void *key)
{
    const struct rows *rows = owner;
    const char *const *texts = key;
    const struct row *row = &rows->items[number];
    return !strcmp(row->name, texts[0]) && !strcmp(row->detail, texts[1]);
}

static struct row *append(struct rows *rows, uint64_t value, const char *name, const char *detail)
{
    struct row row = {.name = strdup(name), .detail = strdup(detail)};
    uint32_t number = row.name && row.detail ? HASH_APPEND(rows, value, &row) : HASH_NONE;
    if (number != HASH_NONE)
        return &rows->items[number];
    free(row.name);
    free(row.detail);
    return NULL;
}

struct row *rows_get(struct rows *rows, const char *name, const char *detail)
{
    const char *key[] = {name, detail};
    uint64_t value = hash_bytes(name, strlen(name)) ^ hash_number(hash_bytes(detail, strlen(detail)));
    if (rows->count && !rows->index.room)
        return NULL;
    uint32_t number = hash_find(&rows->index, value, is_row, rows, key);
    return number == HASH_NONE ? append(rows, value, name, detail) : &rows->items[number];
}

uint64_t row_ns(const struct row *row)
{
    return row->user_ns + row->system_ns + row->unsampled_ns + row->waiting_ns;
}

uint64_t row_total_ns(const struct row *row)
{
    return row_ns(row) + row->below_ns;
}

int64_t row_change_ns(const struct row *row)
{
    return (int64_t)(row_ns(row) - row->base_ns);
}

int64_t row_total_change_ns(const struct row *row)
{
    return (int64_t)(row_total_ns(row) - row->base_total_ns);
}

void row_add(struct row *sum, const struct row *more)
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
    const struct row *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->detail, b->detail);
}

static int falling(uint64_t left, uint64_t right)
{
    return left == right ? 0 : left < right ? 1 : -1;
}

static int by_self(const void *left, const void *right)
{
    int order = falling(row_ns(left), row_ns(right));
    if (!order)
        order = falling(row_total_ns(left), row_total_ns(right));
    return order ? order : by_name(left, right);
}

static int by_total(const void *left, const void *right)
{
    int order = falling(row_total_ns(left), row_total_ns(right));
    return order ? order : by_self(left, right);
}

static int by_amount(int64_t left, int64_t right)
{
    uint64_t a = left < 0 ? -(uint64_t)left : (uint64_t)left, b = right < 0 ? -(uint64_t)right : (uint64_t)right;
    return falling(a, b);
}

static int by_change(const void *left, const void *right)
{
    int order = by_amount(row_change_ns(left), row_change_ns(right));
    if (!order)
        order = by_amount(row_total_change_ns(left), row_total_change_ns(right));
    return order ? order : by_name(left, right);
}

static void sort(struct rows *rows, int (*order)(const void *, const void *))
{
    hash_fini(&rows->index); /* its numbers are no longer valid */
    if (rows->count)
        qsort(rows->items, rows->count, sizeof *rows->items, order);
}

void rows_sort(struct rows *rows)
{
    sort(rows, by_self);
}

void rows_sort_by_total(struct rows *rows)
{
    sort(rows, by_total);
}

void rows_sort_by_change(struct rows *rows)
{
    sort(rows, by_change);
}

void rows_sort_by_name(struct rows *rows)
{
    sort(rows, by_name);
}

void rows_judge(struct rows *rows, const struct noise *noise)
{
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->items[i];
        uint64_t samples = row->samples + row->below_samples;
        row->by_chance = noise_explains(noise, row_change_ns(row), row->samples, row->base_samples);
        row->total_by_chance = noise_explains(noise, row_total_change_ns(row), samples, row->base_total_samples);
    }
}

static bool is_large(int64_t change_ns, double least, bool by_chance)
{
    double change = (double)change_ns;
    return (change >= least || -change >= least) && !(by_chance && least > 0);
}

static bool reaches(const struct row *row, double least, const struct rows_limits *limits)
{
    if (!limits->changes)
        return (double)row_total_ns(row) >= least && (!limits->own || row_ns(row));
    return is_large(row_change_ns(row), least, row->by_chance) ||
           is_large(row_total_change_ns(row), least, row->total_by_chance);
}

size_t rows_cut(struct rows *rows, const struct rows_limits *limits, struct row *rest)
{
    double least = limits->min_percent / 100 * (double)limits->whole_ns;
    size_t shown = 0, last = 0;

    *rest = (struct row){0};
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->items[i];
        row->left_out = (limits->most && shown >= limits->most) || !reaches(row, least, limits);
        shown += !row->left_out;
        last = row->left_out ? i : last;
    }
    if (shown + 1 == rows->count && (!limits->own || row_ns(&rows->items[last]))) {
        rows->items[last].left_out = false;
        shown++;
    }
    for (size_t i = 0; i < rows->count; i++)
        if (rows->items[i].left_out)
            row_add(rest, &rows->items[i]);
    return rows->count - shown;
}
