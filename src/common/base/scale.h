/* SPDX-License-Identifier: MIT
 *
 * Multiplies large numbers by fractions, and compares them. */
#ifndef BASE_SCALE_H
#define BASE_SCALE_H

#include <stdint.h>

/* Returns VALUE * PART / WHOLE, rounded down. WHOLE must not be 0, and the result must fit. */
static inline uint64_t scale_share(uint64_t value, uint64_t part, uint64_t whole)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)value * part / whole);
}

/* Returns the smaller number. */
static inline uint64_t scale_smaller(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

#endif
