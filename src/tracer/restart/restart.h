/* SPDX-License-Identifier: MIT
 *
 * The input that restart/ needs from its caller, and its state for all threads. */
#ifndef RESTART_RESTART_H
#define RESTART_RESTART_H

#include "tracer/tracee/registers.h"

struct rescue;
struct table;

struct restart {
    const struct table *table; /* borrowed; the threads */
    struct rescue *rescue;     /* borrowed; notes of threads with temporarily changed registers */
    struct stopped stopped;    /* registers of the thread that stopped last */
    bool recalling;            /* restart_recall has begun */
    bool leaving;              /* restart_leave has begun */
    uint64_t due_ns;           /* monotonic time of the first timeout that we must end; 0: none */
};

#endif
