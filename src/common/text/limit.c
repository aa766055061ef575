/* SPDX-License-Identifier: MIT */
#include "common/text/limit.h"

#include "common/base/error.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

int limit_whole(const char *option, const char *text, uint32_t low, uint32_t high, const char *why, uint32_t *value,
                struct error *error)
{
    char *end;
    errno = 0;
    unsigned long parsed = strtoul(text, &end, 10);
    if (errno || *end || !isdigit((unsigned char)text[0]) || parsed < low || parsed > high)
        return error_set(error, EINVAL, "%s: '%s' is not a whole number from %u to %u%s", option, text, low, high, why);
    *value = (uint32_t)parsed;
    return 0;
}
