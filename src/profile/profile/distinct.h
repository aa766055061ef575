/* SPDX-License-Identifier: MIT
 *
 * The distinct stacks of a profile, for formats without threads. They handle each stack once instead of once for each
 * thread. */
#ifndef PROFILE_DISTINCT_H
#define PROFILE_DISTINCT_H

#include "common/base/texts.h"

#include <stddef.h>
#include <stdint.h>

struct profile;
struct profile_sample;

struct distinct {
    struct profile_sample *items; /* in the order of their first samples; the thread is that of the first sample */
    size_t count, room;
    struct hash index;
    const struct profile *profile;
    uint32_t *numbers;  /* for each sample of the profile, the number of its item */
    struct texts comms; /* of the processes, or their labels */
    uint32_t *kinds;    /* for each process: equal for processes with the same name on one side of a comparison */
};

/* Fills DISTINCT, which may be uninitialised, with the samples of PROFILE. Adds up samples that differ only in their
 * thread and belong to processes with the same name. The base of a comparison stays separate. Returns 0, or -ENOMEM
 * with DISTINCT empty. */
int distinct_init(struct distinct *distinct, const struct profile *profile);

/* As distinct_init, but processes of one name whose unit, container or rank differ stay separate. */
int distinct_init_labelled(struct distinct *distinct, const struct profile *profile);
void distinct_fini(struct distinct *distinct);

#endif
