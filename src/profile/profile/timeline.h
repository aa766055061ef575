/* SPDX-License-Identifier: MIT
 *
 * The samples of a profile in order of time. */
#ifndef PROFILE_TIMELINE_H
#define PROFILE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/* A part of a sample. */
struct timeline_item {
    uint64_t time_ns; /* time of the instant; TIMELINE_NEVER: unknown */
    uint32_t sample;  /* index */
    uint32_t order;   /* at one time */
    uint64_t count, cpu_ns, wait_ns;
};

#define TIMELINE_NEVER UINT64_MAX

struct timeline {
    struct timeline_item *items;
    size_t count;
};

/* Limit of instants whose times are kept. They take 40 bytes each, and a stranger's profile may contain any number. */
#define TIMELINE_MOST_INSTANTS ((size_t)4 << 20)

/* Fills TIMELINE, which may be uninitialised, with all time of PROFILE's samples: one item for each of the first MOST
 * instants, then the remainder of each sample. BY_THREAD: one thread after the other, each in order of time. Returns 0,
 * or -ENOMEM with TIMELINE empty. */
int timeline_init(struct timeline *timeline, const struct profile *profile, bool by_thread, size_t most);
void timeline_fini(struct timeline *timeline);

/* Returns the time of the first instant of PROFILE after its first MOST, or 0 if there is none. */
uint64_t timeline_until_ns(const struct profile *profile, size_t most);

static inline uint64_t timeline_ns(const struct timeline_item *item)
{
    return item->cpu_ns + item->wait_ns;
}

/* Returns when the time that ITEM represents began; ITEM's time must be known. See instant_began_ns. */
static inline uint64_t timeline_began_ns(const struct timeline_item *item)
{
    return item->wait_ns < item->time_ns ? item->time_ns - item->wait_ns : 0;
}

#endif
