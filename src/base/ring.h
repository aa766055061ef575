/* SPDX-License-Identifier: MIT
 *
 * A ring of messages in memory that two processes share: one writes, one reads, neither ever waits for the other.
 * The bytes are mapped twice in a row, so a message is contiguous wherever it begins. */
#ifndef BASE_RING_H
#define BASE_RING_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The header of each message. SIZE is that of the message, without header and padding. */
struct ring_header {
    uint32_t size, type;
};

struct ring_control {
    _Alignas(64) _Atomic uint64_t written; /* bytes ever written; changed by the writer only */
    _Alignas(64) _Atomic uint64_t read;    /* bytes ever read; changed by the reader only */
};

struct ring {
    struct ring_control *control;
    unsigned char *bytes;
    size_t room; /* a power of two, a multiple of the page size */
};

/* Maps a ring of ROOM bytes (a power of two, at least a page) that children forked later share. Returns 0 or -errno
 * with ERROR set. */
int ring_map(struct ring *ring, size_t room, struct error *error);

/* Unmaps it in this process. */
void ring_unmap(struct ring *ring);

/* Writer. Reserves a message of SIZE bytes of TYPE and returns where to write it, aligned to 8, or NULL if less than
 * SPARE bytes would be left free: pass 0 to use all. Nothing is visible to the reader before ring_publish. One
 * message may be reserved at a time; reserving again forgets an unpublished one. */
void *ring_reserve(struct ring *ring, uint32_t type, size_t size, size_t spare);

/* Writer. Publishes the reserved message, cut to SIZE bytes (at most what was reserved). */
void ring_publish(struct ring *ring, size_t size);

/* Reader. Returns the next message's bytes and sets *HEADER, or NULL if none exists. A header that does not fit what
 * was written (a damaged writer) empties the ring and sets *DAMAGED. The message is valid until ring_consume. */
const void *ring_peek(struct ring *ring, struct ring_header *header, bool *damaged);
void ring_consume(struct ring *ring);

/* Either side: bytes written and not yet read. */
size_t ring_filled(const struct ring *ring);

#endif
