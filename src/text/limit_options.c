/* SPDX-License-Identifier: MIT */
#include "text/limit_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

int limit_overhead(uint32_t *percent, const char *text, struct error *error)
{
    if (strcmp(text, "off"))
        return limit_whole("--max-overhead", text, 1, 99, ", a percentage, nor 'off'", percent, error);
    *percent = 0;
    return 0;
}

int limit_memory(uint64_t *bytes, const char *text, struct error *error)
{
    static const struct {
        const char *suffix;
        unsigned shift;
    } units[] = {{"K", 10}, {"M", 20}, {"G", 30}};
    const uint64_t least = 1 << 20, most = UINT64_C(1) << 50;
    char *end;
    if (!strcmp(text, "off")) {
        *bytes = 0;
        return 0;
    }
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        uint64_t factor = UINT64_C(1) << units[i].shift;
        if (errno || !isdigit((unsigned char)text[0]) || strcmp(end, units[i].suffix) || value > most / factor ||
            value * factor < least)
            continue;
        *bytes = value * factor;
        return 0;
    }
    return error_set(error, EINVAL,
                     "--max-memory: '%s' is not a whole number with K, M or G, 1M or more, such as 256M, nor 'off'",
                     text);
}
