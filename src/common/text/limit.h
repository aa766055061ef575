/* SPDX-License-Identifier: MIT
 *
 * Checks numbers in arguments of options against limits. */
#ifndef TEXT_LIMIT_H
#define TEXT_LIMIT_H

#include <stdint.h>

struct error;

/* Sets *VALUE to the number in TEXT, the argument of OPTION, which must be from LOW to HIGH. WHY: end of the error
 * message. Returns 0, or -EINVAL with ERROR set. */
int limit_whole(const char *option, const char *text, uint32_t low, uint32_t high, const char *why, uint32_t *value,
                struct error *error);

#endif
