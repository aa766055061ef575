/* SPDX-License-Identifier: MIT
 *
 * The arguments of options that are numbers within limits. Each function returns 0, or -EINVAL with ERROR set. */
#ifndef TEXT_LIMIT_OPTIONS_H
#define TEXT_LIMIT_OPTIONS_H

#include "base/error.h"

#include <stdint.h>

enum { LIMIT_OVERHEAD = 25, LIMIT_MEMORY = 256 << 20 }; /* defaults: percent, bytes */

/* Sets *VALUE to the number that TEXT, the argument of OPTION, says, from LOW to HIGH. WHY ends the message of an
 * error. */
int limit_whole(const char *option, const char *text, uint32_t low, uint32_t high, const char *why, uint32_t *value,
                struct error *error);

/* --max-overhead: sets *PERCENT, 0 for "off". */
int limit_overhead(uint32_t *percent, const char *text, struct error *error);

/* --max-memory: sets *BYTES, 0 for "off". */
int limit_memory(uint64_t *bytes, const char *text, struct error *error);

#endif
