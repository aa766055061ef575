/* SPDX-License-Identifier: MIT
 *
 * The samples of a profile in the order of time. */
#ifndef PROFILE_TIMELINE_H
#define PROFILE_TIMELINE_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a sample. */
struct timeline_item {
    uint64_t time_ns; /* as that of an instant, or TIMELINE_NEVER: it is not known */
    uint32_t sample;  /* index */
    uint32_t order;   /* of those of one time */
    uint64_t count, cpu_ns, wait_ns;
};

#define TIMELINE_NEVER UINT64_MAX

struct timeline {
    struct timeline_item *items;
    size_t count;
};

/* The times of more instants than these are not kept: they take 40 bytes each, and a stranger's profile may claim any
 * number. */
#define TIMELINE_MOST_INSTANTS ((size_t)4 << 20)

/* Fills TIMELINE, which need not be initialised, with all that the samples of PROFILE stand for: what was taken at each
 * of its first MOST instants, and behind these the rest of each sample. BY_THREAD: one thread after the other, each in
 * its order. Returns 0, or -ENOMEM with TIMELINE empty. */
int timeline_init(struct timeline *timeline, const struct profile *profile, bool by_thread, size_t most);
void timeline_fini(struct timeline *timeline);

/* Returns the time of the first instant of PROFILE that is not one of its first MOST, or 0 if all are. */
uint64_t timeline_until_ns(const struct profile *profile, size_t most);

static inline uint64_t timeline_ns(const struct timeline_item *item)
{
    return item->cpu_ns + item->wait_ns;
}

/* When what ITEM, whose time is known, stands for began: see instant_began_ns. */
static inline uint64_t timeline_began_ns(const struct timeline_item *item)
{
    return item->wait_ns < item->time_ns ? item->time_ns - item->wait_ns : 0;
}

#endif
