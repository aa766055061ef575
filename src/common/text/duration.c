/* SPDX-License-Identifier: MIT */
#include "common/text/duration.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *name;
    uint64_t ns;
} units[] = {
    {"", 1000000000}, {"s", 1000000000},  {"ms", 1000000},      {"us", 1000},
    {"ns", 1},        {"m", 60000000000}, {"min", 60000000000}, {"h", 3600000000000},
};

static const uint64_t most_ns = UINT64_C(30) * 365 * 86400 * 1000000000;

/* Returns the nanoseconds of the unit TEXT, or 0 if TEXT is not a unit. */
static uint64_t unit_of(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == length && !strncmp(units[i].name, text, length))
            return units[i].ns;
    return 0;
}

static size_t count_digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && isdigit((unsigned char)text[count]))
        count++;
    return count;
}

bool duration_parse(const char *text, size_t length, uint64_t *ns)
{
    size_t whole = count_digits(text, length);
    bool dot = whole < length && text[whole] == '.';
    size_t digits = dot ? count_digits(text + whole + 1, length - whole - 1) : 0;
    size_t end = whole + dot + digits;
    uint64_t unit = unit_of(text + end, length - end), sum = 0;
    if (!unit || (!whole && !digits) || (dot && !digits))
        return false;
    for (size_t i = 0; i < whole; i++) {
        sum = sum * 10 + (uint64_t)(text[i] - '0');
        if (sum > most_ns / unit)
            return false;
    }
    sum *= unit;
    for (size_t i = 0; i < digits && unit; i++) {
        uint64_t digit = (uint64_t)(text[whole + 1 + i] - '0');
        sum += digit * unit / 10;
        unit /= 10;
    }
    if (sum > most_ns)
        return false;
    *ns = sum;
    return true;
}
