/* SPDX-License-Identifier: MIT */
#include "common/base/quantile.h"

static unsigned class_of(uint64_t ns)
{
    if (ns < 16)
        return (unsigned)ns;
    unsigned power = 63u - (unsigned)__builtin_clzll(ns); /* at least 4 */
    unsigned class = (power - 3) * 16 + (unsigned)((ns >> (power - 4)) & 15);
    return class < QUANTILE_CLASSES ? class : QUANTILE_CLASSES - 1;
}

static uint64_t middle_of(unsigned class)
{
    if (class < 16)
        return class;
    unsigned power = class / 16 + 3;
    uint64_t width = (uint64_t)1 << (power - 4);
    return ((uint64_t)(16 + class % 16)) * width + width / 2;
}

void quantile_add(struct quantile *quantile, uint64_t ns)
{
    quantile->counts[class_of(ns)]++;
    quantile->total++;
}

uint64_t quantile_read(const struct quantile *quantile, unsigned permille)
{
    uint64_t wanted = (quantile->total * permille + 999) / 1000, seen = 0;
    for (unsigned class = 0; class < QUANTILE_CLASSES && quantile->total; class ++) {
        seen += quantile->counts[class];
        if (seen >= wanted && seen)
            return middle_of(class);
    }
    return 0;
}
