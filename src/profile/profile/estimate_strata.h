/* SPDX-License-Identifier: MIT
 *
 * Groups processes whose samples represent each other's time. The groups depend on the processes' properties and run
 * time, never on whether they were sampled. Otherwise the sampled ones would be a group of their own. */
#ifndef PROFILE_ESTIMATE_STRATA_H
#define PROFILE_ESTIMATE_STRATA_H

#include "profile/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
