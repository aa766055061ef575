/* SPDX-License-Identifier: MIT
 *
 * A ring of messages in memory that two processes share. One writes, one reads, and neither waits for the other. The
 * bytes are mapped twice in a row, so each message is contiguous. */
#ifndef BASE_RING_H
#define BASE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

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

/* Unmaps RING in this process. */
void ring_unmap(struct ring *ring);

/* For the writer. Reserves a message of SIZE bytes and TYPE. Returns its location, aligned to 8, or NULL if less than
 * SPARE bytes would be left free (0: use all). The reader sees nothing before ring_publish. Only one message may be
 * reserved; reserving again forgets an unpublished one. */
void *ring_reserve(struct ring *ring, uint32_t type, size_t size, size_t spare);

/* For the writer. Publishes the reserved message, cut to SIZE bytes (at most the reserved size). */
void ring_publish(struct ring *ring, size_t size);

/* For the reader. Returns the bytes of the next message and sets *HEADER. Returns NULL if no message waits. If a header
 * does not fit the bytes written (the writer is broken), empties the ring and sets *DAMAGED. The message is valid until
 * ring_consume. */
const void *ring_peek(struct ring *ring, struct ring_header *header, bool *damaged);
void ring_consume(struct ring *ring);

/* For both sides. Returns the number of bytes written and not yet read. */
size_t ring_filled(const struct ring *ring);

#endif
