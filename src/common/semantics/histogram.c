/* SPDX-License-Identifier: MIT */
#include "common/semantics/histogram.h"

/* For a product of any two arguments of a call. */
__extension__ typedef unsigned __int128 wide;

enum { WHOLE_REGION = 2, NS_PER_SECOND = 1000000000 };

static bool put(uint64_t *cell, wide number, bool counted)
{
    if (counted)
        *cell = (uint64_t)number;
    return counted;
}

static bool cell_bsd(const struct histogram *histogram, unsigned width, uint64_t distance, uint64_t *cell)
{
    wide number = (wide)(distance / 2) * histogram->scale / 65536;
    return put(cell, number, number < histogram->size / width);
}

/* The kernel stores the byte's number in an int, so PCs very far away wrap around. */
static bool cell_bsd_built(const struct histogram *histogram, uint64_t distance, uint64_t *cell)
{
    uint32_t byte = (uint32_t)((wide)distance * histogram->scale >> 16) & ~1u;
    return put(cell, byte / 2, byte <= INT32_MAX && byte < histogram->size);
}

static bool cell_irix(const struct histogram *histogram, unsigned width, uint64_t distance, uint64_t *cell)
{
    wide number = histogram->scale == WHOLE_REGION ? 0 : ((wide)distance * histogram->scale >> 16) / width;
    return put(cell, number, number < histogram->size / width);
}

/* The C library of 32-bit programs stores the number in 32 bits, so PCs far away wrap around if the scale is above
 * 65536. */
static bool cell_linux(const struct histogram *histogram, unsigned width, uint64_t distance, uint64_t *cell)
{
    uint64_t entry = distance / width;
    if (histogram->is_compat) {
        uint32_t low = (uint32_t)((wide)entry * histogram->scale / 65536);
        return put(cell, low, low < histogram->size / width);
    }
    wide number = (wide)(entry / 65536) * histogram->scale + (wide)(entry % 65536) * histogram->scale / 65536;
    return put(cell, number, number < histogram->size / width);
}

static bool cell_illumos(const struct histogram *histogram, uint64_t distance, uint64_t *cell)
{
    wide scale = histogram->scale, byte = (distance >> 16) * scale + ((distance & 0xffff) * scale >> 16);
    if (scale == WHOLE_REGION)
        return put(cell, 0, true);
    return put(cell, byte / 2, byte < histogram->size);
}

bool histogram_cell(const struct histogram *histogram, enum bin_formula index, unsigned width, uint64_t pc,
                    uint64_t *cell)
{
    uint64_t distance = histogram->is_compat ? (uint32_t)(pc - histogram->offset) : pc - histogram->offset;
    if (pc < histogram->offset && index != INDEX_LINUX)
        return false;
    switch (index) {
    case INDEX_BSD:
        return cell_bsd(histogram, width, distance, cell);
    case INDEX_BSD_BUILT:
        return cell_bsd_built(histogram, distance, cell);
    case INDEX_IRIX:
        return cell_irix(histogram, width, distance, cell);
    case INDEX_LINUX:
        return cell_linux(histogram, width, distance, cell);
    case INDEX_ILLUMOS:
        return cell_illumos(histogram, distance, cell);
    case INDEX_NEVER:
        break;
    }
    return false;
}

bool histogram_counts(const struct histogram *region)
{
    return region->scale >= WHOLE_REGION;
}

bool histogram_is_overflow(const struct histogram *region)
{
    return region->offset == 0 && region->scale == WHOLE_REGION;
}

int histogram_region(const struct histogram *regions, size_t count, enum bin_formula index, unsigned width, uint64_t pc,
                     uint64_t *cell)
{
    int found = -1, overflow = -1;
    for (size_t i = 0; i < count; i++) {
        const struct histogram *region = &regions[i];
        uint64_t number;
        if (overflow < 0 && histogram_is_overflow(region) && region->size >= width)
            overflow = (int)i;
        if (!histogram_counts(region) || pc < region->offset || (found >= 0 && region->offset <= regions[found].offset))
            continue;
        if (histogram_cell(region, index, width, pc, &number)) {
            found = (int)i;
            *cell = number;
        }
    }
    if (found < 0 && put(cell, 0, overflow >= 0))
        found = overflow;
    return found;
}

bool counter_add(enum rule_counter kind, unsigned width, uint32_t old, uint64_t ticks, uint32_t *new)
{
    const uint32_t most = width == 2 ? UINT16_MAX : UINT32_MAX;
    uint32_t sum = (uint32_t)(old + ticks) & most;
    if (kind == COUNTER_SATURATES && ticks > most - old)
        sum = most;
    if (kind == COUNTER_STOPS_AT_32767 && sum > INT16_MAX)
        return false;
    *new = sum;
    return true;
}

uint64_t histogram_ticks(uint64_t clock_ns, unsigned hz)
{
    return (uint64_t)((wide)clock_ns * hz / NS_PER_SECOND);
}
