/* SPDX-License-Identifier: MIT
 *
 * Splits a profile into parts that a server accepts. Processes with equal name, unit, container and rank form a series.
 * A large series has several parts, each below the server's limits. */
#ifndef PUSH_PIECES_H
#define PUSH_PIECES_H

#include "profile/profile/profile.h"

/* Limits that all servers accept. Pyroscope's limits are 16,000 samples and 4 MiB unpacked. */
enum { PIECES_SAMPLES = 15000, PIECES_BYTES = 3500000, PIECES_SERIES = 100 };

/* Processes with equal name, unit, container and rank: their samples, without identity of the threads, and their time
 * without samples. */
struct pieces_series {
    const struct profile_process *like; /* one of them, or one called "other" */
    struct profile_sample *samples;     /* may be changed */
    size_t count;
    uint64_t unsampled_ns, unsampled_wait_ns;
};

/* Receives SERIES, which is valid during the call. Returns 0, or -errno, which ends the work. */
typedef int pieces_series_taker(void *of, const struct pieces_series *series);

/* Calls TAKE with OF for each series of PROFILE, in descending order of time. If the profile has more than
 * PIECES_SERIES, the processes with the least time share the series "other". Returns 0, -ENOMEM, or the result of
 * TAKE. */
int pieces_each(const struct profile *profile, pieces_series_taker *take, void *of);

/* Receives a part: a stored profile of SIZE BYTES, compressed, of processes with the name, unit, container and rank of
 * LIKE. Returns 0, or -errno, which ends the work. */
typedef int pieces_taker(void *of, const struct profile_process *like, const void *bytes, size_t size);

/* Calls TAKE with OF for each part of PROFILE, one series after the other, in the order of pieces_each. Parts have no
 * process numbers and no command lines. Their sum is PROFILE. Returns 0, -ENOMEM, or the result of TAKE. */
int pieces_cut(const struct profile *profile, pieces_taker *take, void *of);

#endif
