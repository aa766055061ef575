/* SPDX-License-Identifier: MIT
 *
 * Numbers within limits, as arguments of options. */
#ifndef TEXT_LIMIT_H
#define TEXT_LIMIT_H

#include "base/error.h"

#include <stdint.h>

/* Sets *VALUE to the number that TEXT, the argument of OPTION, says, from LOW to HIGH. WHY ends the message of an
 * error. Returns 0, or -EINVAL with ERROR set. */
int limit_whole(const char *option, const char *text, uint32_t low, uint32_t high, const char *why, uint32_t *value,
                struct error *error);

#endif
