/* SPDX-License-Identifier: MIT
 *
 * Stored profiles that are written while they are being recorded, so that little is lost if this process is killed, or
 * the machine runs out of memory. A child, which has the record as it was at the fork, puts names on it and writes it,
 * with the lowest priority: samples are taken and unwound on meanwhile. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "base/child.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "session/session.h"

#include <stdbool.h>
#include <stdint.h>

struct checkpoint {
    struct session *session;
    struct outputs *outputs;
    const struct options *options;
    struct child child; /* that writes one */
    int news;           /* what it says when it is done, see checkpoint.c; -1: no child */
    uint64_t began_ns;  /* monotonic time at which it began */
    unsigned begun;     /* children */
    uint64_t samples;   /* of the record, then */
    bool told;          /* that one could not be written */
};

/* Begins to write checkpoints of the OUTPUTS that are stored profiles, of which OPTIONS leave what is wanted, while
 * SESSION runs. All are borrowed until checkpoint_end. */
void checkpoint_begin(struct checkpoint *checkpoint, struct session *session, struct outputs *outputs,
                      const struct options *options);

/* There are no more of them: the last version is about to be written. */
void checkpoint_end(struct checkpoint *checkpoint);

/* After the first BEGUN checkpoints, the last of which took CPU_NS of CPU time, so long must pass from the beginning of
 * that one until the next: twice as long as before, up to a minute, and never so short that they take more than a
 * hundredth of a CPU. */
uint64_t checkpoint_wait_ns(unsigned begun, uint64_t cpu_ns);

#endif
