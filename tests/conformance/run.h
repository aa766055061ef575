/* SPDX-License-Identifier: MIT
 *
 * Running cases: each in a process of its own, with a bound on its time. */
#ifndef RUN_H
#define RUN_H

#include "conformance.h"

#define RUN_ATTEMPTS 3 /* of a case whose number of ticks is off */

struct run_result {
    enum conformance_outcome outcome;
    unsigned attempts; /* that it took */
    char text[256];    /* what the case says about it; empty if nothing */
};

/* Makes what the processes of a case share. False if that fails. */
bool run_begin(void);

/* Runs a case that can be run. */
struct run_result run_case(const struct conformance_case *item);

/* What the program does when it is started for a continuation: ARGUMENTS are what conformance_exec gave after the
 * program's name. Returns false if they are something else. */
bool run_continuation(int count, char **arguments);

#endif
