/* SPDX-License-Identifier: MIT
 *
 * Writes stored profiles during the recording, so that little is lost if this process is killed or the machine runs out
 * of memory. A forked child has the record as of the fork. It looks up names and writes the profile with the lowest
 * priority, while sampling and unwinding continue. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "common/base/child.h"
#include "front/cli/options.h"
#include "front/cli/outputs.h"
#include "front/session/session.h"

#include <stdbool.h>
#include <stdint.h>

struct checkpoint {
    struct session *session;
    struct outputs *outputs;
    const struct options *options;
    struct child child;       /* the child that writes a checkpoint */
    int news;                 /* its report, see checkpoint.c; -1: no child */
    uint64_t began_ns;        /* monotonic time at which it began */
    unsigned begun;           /* children */
    uint64_t samples;         /* of the record at that time */
    bool told;                /* a failure has been reported */
    struct session_since now; /* counts at its beginning */
};

/* Begins to write checkpoints of those OUTPUTS that are stored profiles, filtered by OPTIONS, while SESSION runs. All
 * are borrowed until checkpoint_end. */
void checkpoint_begin(struct checkpoint *checkpoint, struct session *session, struct outputs *outputs,
                      const struct options *options);

/* Ends checkpoints, because the final version is about to be written. */
void checkpoint_end(struct checkpoint *checkpoint);

/* Returns the time from the beginning of the last checkpoint to the next one. BEGUN checkpoints have been written, and
 * the last one took CPU_NS of CPU time. The time doubles up to a minute, and is long enough that checkpoints take at
 * most a hundredth of a CPU. */
uint64_t checkpoint_wait_ns(unsigned begun, uint64_t cpu_ns);

#endif
