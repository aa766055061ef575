/* SPDX-License-Identifier: MIT
 *
 * The rows of the page: the time of each thread at each node of the call tree. */
#include "profile/report/page.h"

#include "common/base/array.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_row(const void *owner, uint32_t number, const void *key)
{
    const struct page_row *row = &((const struct page_rows *)owner)->items[number], *wanted = key;
    return row->node == wanted->node && row->thread == wanted->thread;
}

static uint32_t append(struct page_rows *rows, const struct page_row *row)
{
    if (rows->count >= HASH_NONE || !ARRAY_RESERVE_ONE(rows))
        return HASH_NONE;
    rows->items[rows->count] = *row;
    return (uint32_t)rows->count++;
}

/* Adds MORE to its row. Returns the number of that row, or HASH_NONE if memory runs out. */
static uint32_t add_to_row(struct page_rows *rows, const struct page_row *more)
{
    uint64_t value = hash_number((uint64_t)more->node << 32 ^ more->thread);
    uint32_t number = hash_find(&rows->index, value, is_row, rows, more);
    if (number == HASH_NONE) {
        number = append(rows, more);
        return number != HASH_NONE && hash_add(&rows->index, value, number) ? number : HASH_NONE;
    }
    struct page_row *row = &rows->items[number];
    row->samples += more->samples;
    row->cpu_ns += more->cpu_ns;
    row->wait_ns += more->wait_ns;
    return number;
}

static bool add_sample(struct page_rows *rows, const struct profile *profile, const struct calltree *tree, size_t i)
{
    const struct profile_sample *sample = &profile->samples[i];
    rows->numbers[i] = HASH_NONE;
    if (tree->sample_nodes[i] == HASH_NONE)
        return true;
    rows->numbers[i] = add_to_row(rows, &(struct page_row){
                                            .node = tree->sample_nodes[i],
                                            .thread = sample->thread,
                                            .process = profile->threads[sample->thread].process,
                                            .samples = sample->count,
                                            .cpu_ns = sample->cpu_ns,
                                            .wait_ns = sample->wait_ns,
                                        });
    return rows->numbers[i] != HASH_NONE;
}

static bool add_unsampled(struct page_rows *rows, const struct profile *profile, const struct calltree *tree, size_t i)
{
    const struct profile_process *process = &profile->processes[i];
    if (tree->unsampled_nodes[i] == HASH_NONE)
        return true;
    return append(rows, &(struct page_row){
                            .node = tree->unsampled_nodes[i],
                            .thread = PROFILE_NONE,
                            .process = (uint32_t)i,
                            .cpu_ns = process->unsampled_ns,
                            .wait_ns = process->unsampled_wait_ns,
                        }) != HASH_NONE;
}

int page_rows_init(struct page_rows *rows, const struct profile *profile, const struct calltree *tree)
{
    *rows = (struct page_rows){.numbers = malloc((profile->sample_count + 1) * sizeof *rows->numbers)};
    bool ok = rows->numbers;
    for (size_t i = 0; i < profile->sample_count && ok; i++)
        ok = add_sample(rows, profile, tree, i);
    for (size_t i = 0; i < profile->process_count && ok; i++)
        ok = add_unsampled(rows, profile, tree, i);
    if (!ok)
        page_rows_fini(rows);
    return ok ? 0 : -ENOMEM;
}

void page_rows_fini(struct page_rows *rows)
{
    free(rows->items);
    free(rows->numbers);
    hash_fini(&rows->index);
    memset(rows, 0, sizeof *rows);
}
