/* SPDX-License-Identifier: MIT
 *
 * Runs each case in a separate process, with a limit on its time. */
#ifndef RUN_H
#define RUN_H

#include "conformance.h"

#define RUN_ATTEMPTS 3 /* a case with a wrong number of ticks runs again */

struct run_result {
    enum conformance_outcome outcome;
    unsigned attempts;
    char text[256]; /* the case's explanation, or empty */
};

/* Creates the memory that the processes of a case share. Returns false on failure. */
bool run_begin(void);

/* ITEM must have RUN. */
struct run_result run_case(const struct conformance_case *item);

/* Runs the continuation that conformance_exec or conformance_spawn asked for in ARGUMENTS. Returns false if ARGUMENTS
 * are a user's. */
bool run_continuation(int count, char **arguments);

#endif
