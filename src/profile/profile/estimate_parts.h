/* SPDX-License-Identifier: MIT
 *
 * Internal interfaces of the estimate, from the first step to the last: strata, shares, times. */
#ifndef PROFILE_ESTIMATE_PARTS_H
#define PROFILE_ESTIMATE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;
struct profile_sample;

/* estimate_strata.c groups processes whose samples represent each other's time. The groups depend on the processes'
 * properties and run time, never on whether they were sampled. Otherwise the sampled ones would be a group of their
 * own. */

/* Properties that processes share, the strongest first. */
enum strata_kinship { STRATA_PROGRAM_AND_NAME, STRATA_PROGRAM, STRATA_NAME, STRATA_KINSHIPS };

struct strata {
    size_t count;
    uint32_t *like;                 /* for each stratum, one of its processes */
    uint64_t long_ns;               /* the time from which on a process, or a thread, is known well enough by its own
                                     * samples */
    uint32_t *kin[STRATA_KINSHIPS]; /* for each process a number: equal for all that share the property; or none */
    uint32_t *of_process;           /* the stratum of each process; PROFILE_NONE: none */
    uint32_t *processes, *processes_from; /* for stratum I: processes[processes_from[I] .. processes_from[I + 1]) */
    uint32_t *samples, *samples_from;     /* the same for its samples */
};

/* Returns the time that SAMPLE represents in any process: one period for each sample counted; if the period is unknown,
 * its billed time. */
uint64_t strata_period_ns(const struct profile_sample *sample);

/* Returns false if memory runs out. Free with strata_fini in either case. */
bool strata_init(struct strata *strata, const struct profile *profile);
void strata_fini(struct strata *strata);

/* estimate_shares.c divides the unsampled time of a stratum among its samples. */

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

/* estimate_times.c changes the timestamps of samples whose time the estimate has changed, and of their copies. It
 * spreads both over the times at which the sample was taken. */

/* Updates PROFILE's instants. Its first SAMPLE_COUNT samples had BILLED_NS, running or WAITING. Later samples are
 * copies; COPY_OF has the original of each. Returns false, with the instants unchanged, if memory runs out. */
bool estimate_times(struct profile *profile, size_t sample_count, const uint64_t *const billed_ns[2],
                    const uint32_t *copy_of);

#endif
