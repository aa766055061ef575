/* SPDX-License-Identifier: MIT
 *
 * What restart/ needs of its caller, and remembers for all threads. */
#ifndef RESTART_RESTART_H
#define RESTART_RESTART_H

#include "tracee/registers.h"
#include "tracee/table.h"

struct restart {
    const struct table *table; /* borrowed; the threads */
    struct rescue *rescue;     /* borrowed; where threads are noted whose registers were changed for a while */
    struct stopped stopped;    /* registers of the thread that has stopped last */
    bool recalling;            /* restart_recall has begun */
    uint64_t due_ns;           /* before that no timeout is over that we have to end; 0: none will be */
};

#endif
