/* SPDX-License-Identifier: MIT */
#include "common/model/runs.h"

void runs_begin(struct runs *runs, uint64_t start, uint64_t end, uint64_t most)
{
    runs->count = 0;
    runs->bytes = 0;
    runs->limited = false;
    runs->at = start;
    runs->end = end;
    runs->most = most;
    runs->of_file = false;
}

/* Adds the memory up to END to the runs. Returns false if that exceeds the wanted size. */
static bool take(struct runs *runs, uint64_t end)
{
    struct memory_run *last = runs->count ? &runs->items[runs->count - 1] : NULL;
    uint64_t size = end - runs->at, left = runs->most - runs->bytes;
    bool goes_on = last && last->start + last->size == runs->at;
    runs->limited = size > left || (!goes_on && runs->count == RUNS_MOST);
    if (size > left)
        size = left;
    if (goes_on)
        last->size += size;
    else if (size && runs->count < RUNS_MOST)
        runs->items[runs->count++] = (struct memory_run){runs->at, size};
    else
        return false;
    runs->bytes += size;
    return !runs->limited;
}

bool runs_look(struct runs *runs, const uint64_t *entries, size_t count, uint64_t page_size)
{
    for (size_t i = 0; i < count && runs->at < runs->end; i++) {
        bool present = entries[i] & PAGE_PRESENT;
        uint64_t next = runs->at - runs->at % page_size + page_size;
        uint64_t end = next > runs->at && next < runs->end ? next : runs->end;

        if (!present && (entries[i] & PAGE_SWAPPED || runs->of_file))
            return false;
        if (present && !take(runs, end))
            return false;
        runs->of_file = present && entries[i] & PAGE_OF_FILE;
        runs->at = end;
    }
    if (runs->bytes < runs->most)
        return runs->at < runs->end;
    runs->limited = runs->at < runs->end;
    return false;
}

void runs_take_all(struct runs *runs)
{
    if (runs->at < runs->end)
        take(runs, runs->end);
}

uint64_t runs_cut(struct memory_run *items, size_t count, uint64_t start, uint64_t end, uint64_t most)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        struct memory_run *run = &items[i];
        uint64_t below = start > run->start ? start - run->start : 0;
        run->start += below;
        run->size = run->size > below ? run->size - below : 0;
        if (run->start + run->size > end)
            run->size = end > run->start ? end - run->start : 0;
        if (run->size > most - bytes)
            run->size = most - bytes;
        bytes += run->size;
    }
    return bytes;
}

bool runs_fit(const struct memory_run *items, size_t count, uint64_t size)
{
    for (size_t i = 0; i < count; size -= items[i++].size)
        if (items[i].size > size || items[i].size > UINT64_MAX - items[i].start)
            return false;
    return true;
}

bool runs_next(const struct memory_run *items, size_t count, uint64_t size, uint64_t *address, uint64_t *place)
{
    uint64_t before = 0;
    for (size_t i = 0; i < count; before += items[i++].size) {
        const struct memory_run *run = &items[i];
        uint64_t inside = *address > run->start ? *address - run->start : 0;
        if (run->size < size || inside > run->size - size)
            continue;
        *address = run->start + inside;
        *place = before + inside;
        return true;
    }
    return false;
}
