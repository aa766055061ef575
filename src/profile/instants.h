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
    uint64_t time_ns;         /* since the beginning of the profile: when what it stands for was over. Kept in whole
                                 microseconds */
    uint32_t sample;          /* what it is a part of: an index */
    uint64_t count;           /* samples; 0: time that belongs to one of another moment */
    uint64_t cpu_ns, wait_ns; /* the time that they stand for; of one that was kept, one of them is 0 */
};

/* Zero it before the first use. Entries are in the order in which they were added: nearly that of their times. */
struct instants {
    struct buffer bytes;
    size_t count;      /* entries */
    size_t most_bytes; /* 0: any number */
    bool full;         /* no more are added */
    uint64_t until_ns; /* not 0: of what came after that, some is missing, as there was no room */
    uint64_t begin_us; /* what the first entry's time counts from */
    uint64_t last_us;  /* time of the last entry */
};

void instants_fini(struct instants *instants);

/* Adds INSTANT: two entries, if it stands for CPU time and for waiting. One that stands for nothing is none. Once one
 * found no room, for want of memory or by most_bytes, no more are added, and until_ns is set. */
void instants_add(struct instants *instants, const struct instant *instant);

/* Of what came after TIME_NS, some is missing. */
void instants_lack(struct instants *instants, uint64_t time_ns);

/* All times are DELAY_NS more from now on. */
void instants_delay(struct instants *instants, uint64_t delay_ns);

/* Appends to BYTES what INSTANT, of which one of cpu_ns and wait_ns is 0, is after an entry at *LAST_US, which
 * becomes its own time. False if memory runs out. */
bool instants_encode(struct buffer *bytes, const struct instant *instant, uint64_t *last_us);

/* Takes such an entry off CURSOR, whose bytes may be a stranger's. False at the end, and if they are damaged: CURSOR
 * has failed then. */
bool instants_decode(struct cursor *cursor, struct instant *instant, uint64_t *last_us);

struct instants_reader {
    struct cursor cursor;
    uint64_t last_us;
};

/* Begins to read INSTANTS, which must not change until it is done; gives the next entry, or false at the end. */
void instants_read(struct instants_reader *reader, const struct instants *instants);
bool instants_next(struct instants_reader *reader, struct instant *instant);

/* When what INSTANT stands for began: waiting takes its time, all else is a moment. */
static inline uint64_t instant_began_ns(const struct instant *instant)
{
    return instant->wait_ns < instant->time_ns ? instant->time_ns - instant->wait_ns : 0;
}

#endif
