/* SPDX-License-Identifier: MIT
 *
 * How the calls are served. */
#ifndef CALLS_OPTIONS_H
#define CALLS_OPTIONS_H

#include "common/semantics/impose.h"

#include <stdbool.h>

enum calls_mode {
    CALLS_OFF,
    CALLS_AUTO, /* the C library's functions only in images whose executable refers to them */
    CALLS_ON    /* in every image */
};

struct calls_options {
    const struct semantics *semantics;
    unsigned hz; /* ticks a second of CPU time */
    enum calls_mode mode;
    struct impose impose; /* on every image */
    bool wanted;          /* the user asked for the calls: programs wait for them */
};

#endif
