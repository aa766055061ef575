/* SPDX-License-Identifier: MIT
 *
 * Writes stored profiles during the recording, so that little is lost if this process is killed or the machine runs out
 * of memory. The first one has our priority, so that there is one soon; the others have the lowest. */
#ifndef OUTPUTS_CHECKPOINT_H
#define OUTPUTS_CHECKPOINT_H

#include "front/outputs/background.h"

struct output_options;
struct outputs;

struct checkpoint {
    struct session *session;
    struct outputs *outputs;
    const struct output_options *options;
    struct background background; /* it writes a checkpoint */
    uint64_t began_ns;            /* monotonic time at which the last one was due */
    unsigned begun;               /* checkpoints */
    uint64_t samples;             /* of the record at the last one */
    bool warned;                  /* a failure has been reported */
};

/* Begins to write checkpoints of those OUTPUTS that are stored profiles, filtered by OPTIONS, while SESSION runs. All
 * are borrowed until checkpoint_end. */
void checkpoint_begin(struct checkpoint *checkpoint, struct session *session, struct outputs *outputs,
                      const struct output_options *options);

/* Takes the report of the last checkpoint and starts the next one, when they are due. */
void checkpoint_turn(struct checkpoint *checkpoint);

/* Ends checkpoints, because the final version is about to be written. */
void checkpoint_end(struct checkpoint *checkpoint);

/* Returns the time from the beginning of the last checkpoint to the next one. BEGUN checkpoints have been written, and
 * the last one took CPU_NS of CPU time. The time doubles up to a minute, and is long enough that checkpoints take at
 * most a hundredth of a CPU. */
uint64_t checkpoint_wait_ns(unsigned begun, uint64_t cpu_ns);

#endif
