/* SPDX-License-Identifier: MIT
 *
 * Divides the unsampled time of a stratum among its samples. */
#ifndef PROFILE_ESTIMATE_SHARES_H
#define PROFILE_ESTIMATE_SHARES_H

#include "profile/estimate_strata.h"

/* A sample that represents more than its own time, and how much. */
struct shares_donor {
    uint32_t sample;
    double weight;
    uint64_t ns;
};

/* Times of one kind: running, or waiting. */
struct shares {
    const struct profile *profile;
    const struct strata *strata;
    bool waiting;
    uint64_t
        *own_ns; /* of each sample: the time of its own thread that it represents; at first the time it was billed */
    struct shares_thread {
        uint64_t ns, period_ns, samples; /* of its samples */
        uint64_t passed_ns, given_ns;    /* how many periods have been distributed, and how much time */
    } * threads;
    uint64_t *kin_ns[STRATA_KINSHIPS]; /* of the samples of processes that have something in common, by its number */
    struct {
        struct shares_donor *items;
        size_t count, room;
    } donors; /* of the stratum in hand */
};

/* Returns false if memory runs out. Free with shares_fini in either case. */
bool shares_init(struct shares *shares, const struct profile *profile, const struct strata *strata, bool waiting);
void shares_fini(struct shares *shares);

/* The unsampled time of PROCESS, of the kind that is estimated. */
uint64_t shares_unsampled_ns(const struct shares *shares, uint32_t process);

/* Sets the donors for stratum NUMBER, so that they add up to the time without samples of its processes, and own_ns
 * of its samples. Without samples of its programs there are no donors. Returns false if memory runs out. */
bool shares_find(struct shares *shares, uint32_t number);

#endif
