/* SPDX-License-Identifier: MIT */
#include "programs/elf/range_cover.h"

#include "common/base/array.h"
#include "common/base/search.h"

#include <stdlib.h>
#include <string.h>

/* The ranges that have begun, as a binary heap with the highest priority first. A range that has ended leaves the heap
 * only when it reaches the top. */
struct heap {
    const struct range_cover_part **items;
    size_t count;
};

static void heap_add(struct heap *heap, const struct range_cover_part *range)
{
    size_t at = heap->count++;
    while (at && heap->items[(at - 1) / 2]->priority < range->priority) {
        heap->items[at] = heap->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->items[at] = range;
}

static void heap_drop_top(struct heap *heap)
{
    const struct range_cover_part *moved = heap->items[--heap->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < heap->count) {
        if (child + 1 < heap->count && heap->items[child + 1]->priority > heap->items[child]->priority)
            child++;
        if (heap->items[child]->priority <= moved->priority)
            break;
        heap->items[at] = heap->items[child];
        at = child;
    }
    if (heap->count)
        heap->items[at] = moved;
}

static int compare_starts(const void *a, const void *b)
{
    const struct range_cover_part *one = a, *other = b;
    if (one->start != other->start)
        return one->start < other->start ? -1 : 1;
    return (one->priority > other->priority) - (one->priority < other->priority);
}

/* Appends the part of RANGE from START to END. Extends the last piece if that belongs to RANGE, too. */
static bool add_piece(struct range_cover *cover, const struct range_cover_part *range, uint64_t start, uint64_t end)
{
    struct range_cover_part *last = cover->count ? &cover->pieces[cover->count - 1] : NULL;
    void *grown;
    if (last && last->end == start && last->item == range->item && last->priority == range->priority) {
        last->end = end;
        return true;
    }
    grown = array_grow(cover->pieces, &cover->room, cover->count + 1, sizeof *cover->pieces);
    if (!grown)
        return false;
    cover->pieces = grown;
    cover->pieces[cover->count++] =
        (struct range_cover_part){.start = start, .end = end, .item = range->item, .priority = range->priority};
    return true;
}

/* Goes through the addresses where the winning range may change. */
static bool sweep(struct range_cover *cover, struct heap *heap, const struct range_cover_part *ranges, size_t count)
{
    uint64_t position = 0;
    size_t next = 0;
    for (;;) {
        while (heap->count && heap->items[0]->end <= position)
            heap_drop_top(heap);
        if (!heap->count && next == count)
            return true;
        if (!heap->count)
            position = ranges[next].start;
        while (next < count && ranges[next].start <= position)
            heap_add(heap, &ranges[next++]);
        if (heap->items[0]->end <= position)
            continue;

        uint64_t end = heap->items[0]->end;
        if (next < count && ranges[next].start < end)
            end = ranges[next].start;
        if (!add_piece(cover, heap->items[0], position, end))
            return false;
        position = end;
    }
}

bool range_cover_build(struct range_cover *cover, struct range_cover_part *ranges, size_t count)
{
    struct heap heap = {.items = calloc(count + 1, sizeof *heap.items)};
    bool done;
    range_cover_fini(cover);
    if (!heap.items)
        return false;
    if (count)
        qsort(ranges, count, sizeof *ranges, compare_starts);
    done = sweep(cover, &heap, ranges, count);
    free(heap.items);
    if (!done)
        range_cover_fini(cover);
    return done;
}

void range_cover_fini(struct range_cover *cover)
{
    free(cover->pieces);
    *cover = (struct range_cover){0};
}

const struct range_cover_part *range_cover_find(const struct range_cover *cover, uint64_t address)
{
    size_t count = SEARCH_UP_TO(cover->pieces, cover->count, start, address);
    return count && address < cover->pieces[count - 1].end ? &cover->pieces[count - 1] : NULL;
}
