/* SPDX-License-Identifier: MIT
 *
 * Hints, of which a reader takes in few: those that gain most. */
#ifndef CLI_ADVICE_H
#define CLI_ADVICE_H

#include <stddef.h>
#include <stdio.h>

enum { ADVICE_SAID = 3 };

struct advice_hint {
    double gain;
    char *text;
};

/* Needs only to be zeroed. */
struct advice {
    struct advice_hint *items;
    size_t count, room;
};

void advice_fini(struct advice *advice);

/* Adds a hint, which may hold names of strangers, unless it is there. GAIN: the percentage of the profile that it makes
 * known or better known. Without memory there is none. */
void advice_add(struct advice *advice, double gain, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Prints the hints with the largest gains to STREAM, ADVICE_SAID at most, the largest first. */
void advice_say(struct advice *advice, FILE *stream);

#endif
