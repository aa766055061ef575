/* SPDX-License-Identifier: MIT
 *
 * A chain of calls in one line. */
#ifndef REPORT_CHAIN_H
#define REPORT_CHAIN_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the COUNT NAMES, at least one, made harmless and with arrows between them, in at most COLUMNS columns. Of
 * names that do not fit, the first and the last ones are kept, and how many are left
 * out stands between them. UP: each called the one before it, not the one after it. Returns how many columns it took.
 */
unsigned chain_put(struct buffer *out, const char *const *names, size_t count, unsigned columns, bool up, bool utf8);

#endif
