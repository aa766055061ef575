/* SPDX-License-Identifier: MIT
 *
 * How much of the time of a stratum that no sample stands for each of its samples gets. */
#ifndef PROFILE_ESTIMATE_SHARES_H
#define PROFILE_ESTIMATE_SHARES_H

#include "profile/estimate_strata.h"

/* A sample that stands for more than its own time, and how much. */
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
    uint64_t *own_ns; /* of each sample: that of its own thread which it stands for; at first as it was billed */
    struct shares_thread {
        uint64_t ns, period_ns, samples; /* of its samples */
        uint64_t passed_ns, given_ns;    /* so many of the periods have been given so much */
    } * threads;
    uint64_t *kin_ns[STRATA_KINSHIPS]; /* of the samples of processes that have something in common, by its number */
    struct {
        struct shares_donor *items;
        size_t count, room;
    } donors; /* of the stratum in hand */
};

/* Returns false when there is no memory. Either way shares_fini frees what SHARES holds. */
bool shares_init(struct shares *shares, const struct profile *profile, const struct strata *strata, bool waiting);
void shares_fini(struct shares *shares);

/* What PROCESS has of the time in question that no sample stands for. */
uint64_t shares_unsampled_ns(const struct shares *shares, uint32_t process);

/* Sets the donors for stratum NUMBER, so that they add up to what its processes have without samples, and own_ns of its
 * samples; none, if its programs have no samples. False when there is no memory. */
bool shares_find(struct shares *shares, uint32_t number);

#endif
