/* SPDX-License-Identifier: MIT
 *
 * Lengths of time as people write them. */
#ifndef TEXT_DURATION_H
#define TEXT_DURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets *NS to what the LENGTH bytes of TEXT say: a decimal number, and ns, us, ms, s, m (also min) or h; without a unit
 * it is seconds. What is less than a nanosecond is left out. False, with *NS unchanged, for all else, and for more than
 * 30 years. */
bool duration_parse(const char *text, size_t length, uint64_t *ns);

#endif
