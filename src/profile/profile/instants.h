/* SPDX-License-Identifier: MIT
 *
 * Timestamps of a profile's samples: a list of entries, each for a part of one sample, in a few bytes. Pure. */
#ifndef PROFILE_INSTANTS_H
#define PROFILE_INSTANTS_H

#include "common/base/buffer.h"
#include "common/base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Samples with one stack that were taken at one time. */
struct instant {
    uint64_t time_ns;         /* end of the time that it represents, since the beginning of the profile, in whole
                               * microseconds */
    uint32_t sample;          /* index of its sample */
    uint64_t count;           /* number of samples; 0: time that belongs to a sample of another timestamp */
    uint64_t cpu_ns, wait_ns; /* the time that it represents; in stored entries one of them is 0 */
};

/* Zero it before the first use. Entries are in the order in which they were added, which is nearly the order of their
 * times. */
struct instants {
    struct buffer bytes;
    size_t count;      /* entries */
    size_t most_bytes; /* 0: any number */
    bool full;         /* no more entries are added */
    uint64_t until_ns; /* not 0: entries after this time are missing, because memory ran out */
    uint64_t begin_us; /* base of the first entry's time */
    uint64_t last_us;  /* time of the last entry */
};

void instants_fini(struct instants *instants);

/* Adds INSTANT: two entries if it represents both CPU time and waiting, none if neither. If an entry does not fit into
 * memory or most_bytes, sets until_ns, and later calls add nothing. */
void instants_add(struct instants *instants, const struct instant *instant);

/* Marks the entries after TIME_NS as incomplete. */
void instants_lack(struct instants *instants, uint64_t time_ns);

/* Adds DELAY_NS to all times. */
void instants_delay(struct instants *instants, uint64_t delay_ns);

/* Appends the encoding of INSTANT to BYTES. Its cpu_ns or its wait_ns is 0. *LAST_US: the time of the entry before; it
 * becomes this entry's. Returns false if memory runs out. */
bool instants_encode(struct buffer *bytes, const struct instant *instant, uint64_t *last_us);

/* Decodes such an entry from CURSOR, whose bytes are untrusted. Returns false at the end, and if they are damaged. If
 * damaged, CURSOR has failed. */
bool instants_decode(struct cursor *cursor, struct instant *instant, uint64_t *last_us);

struct instants_reader {
    struct cursor cursor;
    uint64_t last_us;
};

/* Read INSTANTS, which must not change in between. instants_read begins. instants_next gives the next entry, and
 * returns false at the end. */
void instants_read(struct instants_reader *reader, const struct instants *instants);
bool instants_next(struct instants_reader *reader, struct instant *instant);

/* Returns the beginning of the time that INSTANT represents. A wait has a length; anything else has only a moment. */
static inline uint64_t instant_began_ns(const struct instant *instant)
{
    return instant->wait_ns < instant->time_ns ? instant->time_ns - instant->wait_ns : 0;
}

#endif
