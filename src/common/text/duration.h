/* SPDX-License-Identifier: MIT
 *
 * Lengths of time in the form that people write. */
#ifndef TEXT_DURATION_H
#define TEXT_DURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets *NS to the duration in the LENGTH bytes of TEXT: a decimal number and a unit (ns, us, ms, s, m or min, h;
 * default: s). Fractions of a nanosecond are dropped. Returns false, with *NS unchanged, for anything else and for
 * more than 30 years. */
bool duration_parse(const char *text, size_t length, uint64_t *ns);

#endif
