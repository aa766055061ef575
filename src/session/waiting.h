/* SPDX-License-Identifier: MIT
 *
 * A queue of the tracer's messages that cannot be recorded yet: captures whose stack leads to code that is not known to
 * be mapped, or is not itself known, and what came after them about the same thread. The messages are in a buffer, each
 * after a header and padded to 8 bytes. Each begins with the number of its image. Pure. */
#ifndef SESSION_WAITING_H
#define SESSION_WAITING_H

#include "base/buffer.h"
#include "unwind/unwind.h"

/* How often a message has waited for what its stack lacks, and for what it waits now. */
struct waits {
    uint16_t for_maps, for_code;
    uint32_t now_for; /* MESSAGE_MAPS, MESSAGE_CODE, or MESSAGE_WAITED: for the messages of its image before it */
    uint64_t page;    /* of the code; 0: any */
};

enum { WAITS_FOR_MAPS = 1, WAITS_FOR_CODE = 6 /* each page may lead to another one */ };

/* The header of a queued message. */
struct waiting {
    uint32_t type, size; /* of the message; size without padding, in bytes */
    struct waits waits;
};

/* Received pages of code, of those that were requested together for an image. */
struct arrived_pages {
    uint32_t image, count;
    uint64_t pages[UNWIND_LACKING_MOST];
};

/* Appends MESSAGE of TYPE, SIZE bytes, to QUEUE. Returns false if it cannot wait: too many do, or memory ran out. */
bool waiting_add(struct buffer *queue, uint32_t type, const void *message, size_t size, struct waits waits);

/* Returns the message after PREVIOUS (NULL: the first) in QUEUE, or NULL. Its bytes follow the header. */
const struct waiting *waiting_after(const struct buffer *queue, const struct waiting *previous);

/* The number of the image that WAITING is about. */
uint32_t waiting_image(const struct waiting *waiting);

/* True if a message about IMAGE is in QUEUE. */
bool waiting_has(const struct buffer *queue, uint32_t image);

/* True if WAITING can be recorded now that WHAT (0: everything that can come) has arrived for IMAGE (0: for all), and
 * the pages of ARRIVED. HELD: an earlier message about its image still waits. */
bool waiting_is_due(const struct waiting *waiting, const struct arrived_pages *arrived, uint32_t image, uint32_t what,
                    bool held);

/* True if this is so for any message of QUEUE. */
bool waiting_has_due(const struct buffer *queue, const struct arrived_pages *arrived, uint32_t image, uint32_t what);

#endif
