/* SPDX-License-Identifier: MIT
 *
 * A queue of tracer messages that cannot be recorded yet: captures whose stack leads to code that is unmapped or
 * unknown so far, and later messages about the same thread. Each message in the buffer has a header, is padded to 8
 * bytes, and begins with the number of its image. Pure. */
#ifndef SESSION_WAITING_H
#define SESSION_WAITING_H

#include "programs/unwind/unwind.h"

struct buffer;

/* How often a message has waited for missing data, and what it is waiting for now. */
struct waits {
    uint16_t for_maps, for_code;
    uint32_t now_for; /* MESSAGE_MAPS, MESSAGE_CODE, or MESSAGE_WAITED: for earlier messages of its image */
    uint64_t page;    /* page of code; 0: any */
};

enum { WAITS_FOR_MAPS = 1, WAITS_FOR_CODE = 6 /* each page may lead to another one */ };

/* The header of a queued message. */
struct waiting {
    uint32_t type, size; /* of the message; size without padding, in bytes */
    struct waits waits;
};

/* Pages of code that have arrived, out of those requested together for an image. */
struct arrived_pages {
    uint32_t image, count;
    uint64_t pages[UNWIND_LACKING_MOST];
};

/* Appends MESSAGE of TYPE, SIZE bytes, to QUEUE. Returns false if it cannot wait: too many messages wait, or memory ran
 * out. */
bool waiting_add(struct buffer *queue, uint32_t type, const void *message, size_t size, struct waits waits);

/* Returns the message after PREVIOUS (NULL: the first) in QUEUE, or NULL. Its bytes follow the header. */
const struct waiting *waiting_after(const struct buffer *queue, const struct waiting *previous);

/* Returns the number of the image of WAITING. */
uint32_t waiting_image(const struct waiting *waiting);

/* Returns true if a message of IMAGE is in QUEUE. */
bool waiting_has(const struct buffer *queue, uint32_t image);

/* Returns true if WAITING can be recorded now. WHAT (0: everything) has arrived for IMAGE (0: for all), and the pages
 * in ARRIVED. HELD: an earlier message of its image still waits. */
bool waiting_is_due(const struct waiting *waiting, const struct arrived_pages *arrived, uint32_t image, uint32_t what,
                    bool held);

/* Returns true if any message of QUEUE can be recorded. */
bool waiting_has_due(const struct buffer *queue, const struct arrived_pages *arrived, uint32_t image, uint32_t what);

#endif
