/* SPDX-License-Identifier: MIT */
#include "report/by_thread.h"

#include <stdlib.h>

static int compare(const void *left, const void *right, void *data)
{
    const struct profile *profile = data;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (profile->samples[a].thread != profile->samples[b].thread)
        return profile->samples[a].thread < profile->samples[b].thread ? -1 : 1;
    return a < b ? -1 : a > b;
}

uint32_t *by_thread(const struct profile *profile)
{
    uint32_t *order = malloc((profile->sample_count + 1) * sizeof *order);
    for (uint32_t i = 0; order && i < profile->sample_count; i++)
        order[i] = i;
    if (order)
        qsort_r(order, profile->sample_count, sizeof *order, compare, (void *)(uintptr_t)profile);
    return order;
}
