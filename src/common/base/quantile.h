/* SPDX-License-Identifier: MIT
 *
 * Quantiles of durations in constant space. Counts values in 16 classes for each power of two, so a value read back is
 * within 3 % of the true one. Has no pointers, so it may be in shared memory. Pure. */
#ifndef BASE_QUANTILE_H
#define BASE_QUANTILE_H

#include <stdint.h>

#define QUANTILE_CLASSES 640 /* up to 2^40 ns */

struct quantile {
    uint64_t total;
    uint32_t counts[QUANTILE_CLASSES];
};

/* Adds a duration in nanoseconds. Durations beyond the last class count there. */
void quantile_add(struct quantile *quantile, uint64_t ns);

/* Returns the duration in nanoseconds that PERMILLE of the values do not exceed; 0 if there are no values. */
uint64_t quantile_read(const struct quantile *quantile, unsigned permille);

#endif
