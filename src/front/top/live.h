/* SPDX-License-Identifier: MIT
 *
 * The times added to the record in the last seconds, while it grows. Each slot of a ring contains what one period added
 * to each sample. Memory grows with the number of distinct samples, not with time. */
#ifndef TOP_LIVE_H
#define TOP_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record;

enum { LIVE_SLOTS = 64 };

struct live_counts {
    uint64_t count, cpu_ns, wait_ns;
    uint64_t period_ns; /* as in struct profile_sample */
};

struct live_change {
    uint32_t sample;
    struct live_counts more;
};

/* Zero it before the first use, and then live_begin. */
struct live {
    uint64_t began_ns, last_ns; /* monotonic: beginning of the totals, and end of the last slot */
    struct live_counts *seen;   /* counts of each sample at the end of the last slot */
    struct live_counts *before; /* counts before the last live_reset */
    size_t seen_count, seen_room, before_count;
    struct live_slot {
        struct live_change *items;
        size_t count, room;
        uint64_t ns; /* its length */
    } slots[LIVE_SLOTS];
    uint64_t slot_count; /* number of slots ever; slot N is slots[N % LIVE_SLOTS] */
};

/* A snapshot, which stays unchanged while the record grows. Zero it before the first use. */
struct live_picture {
    struct live_counts *recent, *all; /* of each sample */
    size_t count, room;
    struct live_counts recent_sum, all_sum;
    uint64_t recent_ns, all_ns; /* length of this time */
};

void live_begin(struct live *live, uint64_t now_ns);
void live_free(struct live *live);

/* Ends a slot: it gets everything that RECORD has added since the last one. Returns false if memory runs out: then some
 * of it is missing in the recent times. */
bool live_take(struct live *live, const struct record *record, uint64_t now_ns);

/* Restarts both the totals and the recent times at NOW_NS, the end of the last slot. Returns false if memory runs
 * out. */
bool live_reset(struct live *live, uint64_t now_ns);

/* Makes PICTURE of all ended slots, and of the ended slots in the last RECENT_NS. Returns false, with PICTURE
 * unchanged, if memory runs out. */
bool live_look(const struct live *live, uint64_t recent_ns, struct live_picture *picture);

void live_picture_free(struct live_picture *picture);

#endif
