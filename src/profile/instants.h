/* SPDX-License-Identifier: MIT
 *
 * When the samples of a profile were taken: a list of entries, each a part of one of the profile's samples, in a few
 * bytes. Pure. */
#ifndef PROFILE_INSTANTS_H
#define PROFILE_INSTANTS_H

#include "base/buffer.h"
#include "base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Samples of one stack that were taken at one moment. */
struct instant {
    uint64_t time_ns; /* since the beginning of the profile: the end of the time that it represents. Kept in whole
                         microseconds */
    uint32_t sample;  /* index of its sample */
    uint64_t count;   /* samples; 0: time that belongs to one of another moment */
    uint64_t cpu_ns, wait_ns; /* the time that it represents; in stored entries one of the two is 0 */
};

/* Zero it before the first use. Entries are in the order in which they were added, which is nearly that of their
 * times. */
struct instants {
    struct buffer bytes;
    size_t count;      /* entries */
    size_t most_bytes; /* 0: any number */
    bool full;         /* no more entries are added */
    uint64_t until_ns; /* not 0: entries after this time are missing for lack of memory */
    uint64_t begin_us; /* what the first entry's time counts from */
    uint64_t last_us;  /* time of the last entry */
};

void instants_fini(struct instants *instants);

/* Adds INSTANT: two entries if it represents both CPU time and waiting, none if neither. Once an entry does not fit,
 * in memory or in most_bytes, until_ns is set and no more are added. */
void instants_add(struct instants *instants, const struct instant *instant);

/* Marks the entries after TIME_NS as incomplete. */
void instants_lack(struct instants *instants, uint64_t time_ns);

/* Adds DELAY_NS to all times. */
void instants_delay(struct instants *instants, uint64_t delay_ns);

/* Appends the encoding of INSTANT, in which one of cpu_ns and wait_ns is 0, to BYTES. *LAST_US is the time of the
 * entry before, and becomes this one's. Returns false if memory runs out. */
bool instants_encode(struct buffer *bytes, const struct instant *instant, uint64_t *last_us);

/* Decodes such an entry from CURSOR, whose bytes are untrusted. Returns false at the end, and if they are damaged;
 * CURSOR has failed then. */
bool instants_decode(struct cursor *cursor, struct instant *instant, uint64_t *last_us);

struct instants_reader {
    struct cursor cursor;
    uint64_t last_us;
};

/* Begins to read INSTANTS, which must not change until it is done; gives the next entry, or false at the end. */
void instants_read(struct instants_reader *reader, const struct instants *instants);
bool instants_next(struct instants_reader *reader, struct instant *instant);

/* The beginning of the time that INSTANT represents: a wait has a length, all else is a moment. */
static inline uint64_t instant_began_ns(const struct instant *instant)
{
    return instant->wait_ns < instant->time_ns ? instant->time_ns - instant->wait_ns : 0;
}

#endif
