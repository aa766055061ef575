/* SPDX-License-Identifier: MIT
 *
 * How long to wait for an answer of another process: as long as it gets on, however slowly on a busy machine. Pure. */
#ifndef MODEL_PATIENCE_H
#define MODEL_PATIENCE_H

#include "common/model/proctext.h"

#include <stdbool.h>
#include <stdint.h>

enum { PATIENCE_LOOK_NS = 500000000 }; /* time from one look at the process to the next */

/* Zero it when the wait begins, and set since_ns to that time. */
struct patience {
    struct schedstat seen; /* at the last look */
    uint64_t since_ns;     /* when the process was last seen getting on */
};

/* The process has STATE (the letter of its stat file) and NOW. Returns true if the wait goes on: the process is
 * runnable, has run since the last look, or has slept for a short time, as for a disk. Returns false if it is stopped,
 * dead, or sleeps for too long. */
bool patience_lasts(struct patience *patience, char state, const struct schedstat *now, uint64_t now_ns);

#endif
