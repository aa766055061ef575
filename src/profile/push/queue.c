/* SPDX-License-Identifier: MIT */
#include "profile/push/queue.h"

#include "common/base/array.h"

#include <stdlib.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
#define FIRST_WAIT_NS SECOND_NS
#define LONGEST_WAIT_NS (60 * SECOND_NS)
#define LONGEST_ASKED_NS (3600 * SECOND_NS)

enum { DOUBLINGS = 6, TRIES = 5 };

enum push_result push_result_of(long status)
{
    if (status >= 200 && status < 300)
        return PUSH_SENT;
    if (status == 0 || status == 408 || status == 425 || status == 429 || status == 503)
        return PUSH_AGAIN;
    return status == 500 || status == 502 || status == 504 ? PUSH_FAILED : PUSH_REFUSED;
}

static void remove_item(struct push_queue *queue, size_t index)
{
    queue->bytes -= queue->items[index].size;
    free(queue->items[index].bytes);
    queue->count--;
    memmove(&queue->items[index], &queue->items[index + 1], (queue->count - index) * sizeof *queue->items);
}

void push_queue_add(struct push_queue *queue, char *bytes, size_t size, uint64_t now_ns)
{
    size_t first = queue->sending ? 1 : 0; /* the request under way stays */
    bool fits = size + (first ? queue->items[0].size : 0) <= queue->most_bytes;
    while (fits && queue->bytes + size > queue->most_bytes) {
        remove_item(queue, first);
        queue->counts.dropped++;
    }
    if (!fits || !ARRAY_RESERVE_ONE(queue)) {
        free(bytes);
        queue->counts.dropped++;
        return;
    }
    queue->items[queue->count++] = (struct push_item){bytes, size, now_ns, 0};
    queue->bytes += size;
}

const struct push_item *push_queue_begin(struct push_queue *queue, uint64_t now_ns)
{
    if (queue->sending || now_ns < queue->next_ns)
        return NULL;
    while (queue->count && queue->oldest_ns && now_ns - queue->items[0].born_ns > queue->oldest_ns) {
        remove_item(queue, 0);
        queue->counts.expired++;
    }
    queue->sending = queue->count > 0;
    return queue->sending ? &queue->items[0] : NULL;
}

/* From half of the wait to all of it. */
static uint64_t backoff_ns(unsigned failures, uint32_t random)
{
    uint64_t wait_ns = failures < DOUBLINGS ? FIRST_WAIT_NS << failures : LONGEST_WAIT_NS;
    return wait_ns / 2 + wait_ns / 2 * (random % 1024) / 1024;
}

static void delay_next(struct push_queue *queue, uint64_t retry_ns, uint32_t random, uint64_t now_ns)
{
    uint64_t own_ns = backoff_ns(queue->failures++, random);
    uint64_t asked_ns = retry_ns < LONGEST_ASKED_NS ? retry_ns : LONGEST_ASKED_NS;
    queue->next_ns = now_ns + (asked_ns ? asked_ns + own_ns % SECOND_NS : own_ns);
}

void push_queue_end(struct push_queue *queue, enum push_result result, uint64_t retry_ns, uint32_t random,
                    uint64_t now_ns)
{
    if (!queue->sending)
        return;
    queue->sending = false;
    bool hopeless = result == PUSH_FAILED && ++queue->items[0].tries >= TRIES;
    if (result == PUSH_AGAIN || (result == PUSH_FAILED && !hopeless)) {
        queue->counts.retries++;
        delay_next(queue, retry_ns, random, now_ns);
        return;
    }
    queue->counts.sent += result == PUSH_SENT;
    queue->counts.refused += result != PUSH_SENT;
    queue->failures = 0;
    queue->next_ns = 0;
    remove_item(queue, 0);
}

uint64_t push_queue_due_ns(const struct push_queue *queue)
{
    return queue->count && !queue->sending ? queue->next_ns : UINT64_MAX;
}

uint64_t push_lost(const struct push_counts *counts)
{
    return counts->dropped + counts->expired + counts->refused;
}
