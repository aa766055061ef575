/* SPDX-License-Identifier: MIT
 *
 * The requests that wait to be sent to one server, and when the next one is due. Its memory is bounded: the oldest
 * requests make room for new ones. Requests that cannot be delivered are counted by reason. Pure: times and random
 * numbers are arguments. */
#ifndef PUSH_QUEUE_H
#define PUSH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct push_item {
    char *bytes; /* the body; owned */
    size_t size;
    uint64_t born_ns;
    unsigned tries; /* number of attempts that ended in an error of the server itself */
};

/* What became of requests. */
struct push_counts {
    uint64_t sent;
    uint64_t dropped; /* the queue was full */
    uint64_t expired; /* the server would not take profiles that old */
    uint64_t refused; /* the server does not want them */
    uint64_t retries;
};

struct push_queue {
    struct push_item *items; /* the oldest first */
    size_t count, room;
    size_t bytes, most_bytes;
    uint64_t oldest_ns; /* older ones are not sent */
    bool sending;       /* the first item is under way */
    uint64_t next_ns;   /* nothing is sent before; 0: at once */
    unsigned failures;  /* in a row */
    struct push_counts counts;
};

enum push_result {
    PUSH_SENT,
    PUSH_AGAIN,  /* no answer, or not now */
    PUSH_FAILED, /* an error of the server: a few more attempts */
    PUSH_REFUSED
};

/* Returns the result of a request with the HTTP STATUS (0: no answer). */
enum push_result push_result_of(long status);

/* Adds a body of SIZE BYTES, which the queue then owns. Without room, drops the oldest items, or this one. */
void push_queue_add(struct push_queue *queue, char *bytes, size_t size, uint64_t now_ns);

/* Returns the item to send now, which stays valid until push_queue_end; NULL if none is due or one is under way. */
const struct push_item *push_queue_begin(struct push_queue *queue, uint64_t now_ns);

/* Reports the RESULT of the item that was returned last. The server asked for RETRY_NS without requests; 0: it did not.
 * RANDOM is any number: without it, many senders would retry at the same time. */
void push_queue_end(struct push_queue *queue, enum push_result result, uint64_t retry_ns, uint32_t random,
                    uint64_t now_ns);

/* The time at which the next item may be sent, if none is under way; UINT64_MAX: none waits. */
uint64_t push_queue_due_ns(const struct push_queue *queue);

/* Returns the number of lost requests, for any reason. */
uint64_t push_lost(const struct push_counts *counts);

#endif
