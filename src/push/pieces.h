/* SPDX-License-Identifier: MIT
 *
 * A profile as the parts that a server takes: one series for each name, unit, container and rank of processes, and for
 * a large series several parts, each below the server's limits. */
#ifndef PUSH_PIECES_H
#define PUSH_PIECES_H

#include "base/buffer.h"
#include "profile/profile.h"

/* Limits that all servers accept: Pyroscope has 16,000 samples and 4 MiB, unpacked. */
enum { PIECES_SAMPLES = 15000, PIECES_BYTES = 3500000, PIECES_SERIES = 100 };

/* Processes of one name, unit, container and rank: their samples, whose threads say nothing any more, and their time
 * without samples. */
struct pieces_series {
    const struct profile_process *like; /* one of them, or one called "other" */
    struct profile_sample *samples;     /* may be changed */
    size_t count;
    uint64_t unsampled_ns, unsampled_wait_ns;
};

/* Takes SERIES, which is valid during the call. Returns 0, or -errno, which ends the work. */
typedef int pieces_series_taker(void *of, const struct pieces_series *series);

/* Gives the series of PROFILE to TAKE with OF, that with the most time first. Beyond PIECES_SERIES, the processes with
 * the least time share a series, "other". Returns 0, -ENOMEM, or what TAKE returned. */
int pieces_each(const struct profile *profile, pieces_series_taker *take, void *of);

/* Takes a part: a stored profile of SIZE BYTES, compressed, of processes with the name, unit, container and rank of
 * LIKE. Returns 0, or -errno, which ends the work. */
typedef int pieces_taker(void *of, const struct profile_process *like, const void *bytes, size_t size);

/* Gives the parts of PROFILE to TAKE with OF. They have no process numbers and no command lines, and they add up to
 * PROFILE; of one series at a time, as by pieces_each. Returns 0, -ENOMEM, or what TAKE returned. */
int pieces_cut(const struct profile *profile, pieces_taker *take, void *of);

#endif
