/* SPDX-License-Identifier: MIT
 *
 * Hints. Only the few with the largest gain are printed, because readers ignore long lists. */
#ifndef CLI_ADVICE_H
#define CLI_ADVICE_H

#include <stddef.h>
#include <stdio.h>

enum { ADVICE_SAID = 3 };

struct advice_hint {
    double gain;
    char *text;
};

/* Zero it before the first use. */
struct advice {
    struct advice_hint *items;
    size_t count, room;
};

void advice_fini(struct advice *advice);

/* Adds a hint, which may contain names of strangers, unless it was added before. GAIN: percentage of the profile that
 * the hint makes known or more exact. If memory runs out, drops the hint. */
void advice_add(struct advice *advice, double gain, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Prints the hints with the largest gains to STREAM, the largest first, at most ADVICE_SAID. */
void advice_say(struct advice *advice, FILE *stream);

#endif
