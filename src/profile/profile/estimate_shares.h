/* SPDX-License-Identifier: MIT
 *
 * Divides the unsampled time of a stratum among its samples. */
#ifndef PROFILE_ESTIMATE_SHARES_H
#define PROFILE_ESTIMATE_SHARES_H

#include "profile/profile/estimate_strata.h"

/* A sample that represents more than its own time, and this additional time. */
struct shares_donor {
    uint32_t sample;
    double weight;
    uint64_t ns;
};

/* The shares for one kind of time: running or waiting. */
struct shares {
    const struct profile *profile;
    const struct strata *strata;
    bool waiting;
    uint64_t *own_ns; /* for each sample: the time of its own thread that it represents; at first, its billed time */
    struct shares_thread {
        uint64_t ns, period_ns, samples; /* of its samples */
        uint64_t passed_ns, given_ns;    /* number of periods and amount of time that were distributed */
    } * threads;
    uint64_t *kin_ns[STRATA_KINSHIPS]; /* for samples of processes with something in common, by its number */
    struct {
        struct shares_donor *items;
        size_t count, room;
    } donors; /* for the present stratum */
};

/* Returns false if memory runs out. Free with shares_fini in either case. */
bool shares_init(struct shares *shares, const struct profile *profile, const struct strata *strata, bool waiting);
void shares_fini(struct shares *shares);

/* Returns the unsampled time of PROCESS, of the kind being estimated. */
uint64_t shares_unsampled_ns(const struct shares *shares, uint32_t process);

/* Sets the donors for stratum NUMBER so that they add up to the time without samples of its processes. Also sets own_ns
 * of its samples. If its programs have no samples, there are no donors. Returns false if memory runs out. */
bool shares_find(struct shares *shares, uint32_t number);

#endif
