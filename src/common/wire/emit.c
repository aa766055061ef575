/* SPDX-License-Identifier: MIT */
#include "common/wire/emit.h"

#include "common/base/ring.h"
#include "common/wire/channel.h"
#include "common/wire/shared.h"

#include <string.h>
#include <unistd.h>

/* Maximum bytes of waiting messages: if the front stops reading, the tracer must not grow. */
enum { MOST_WAITING = 64 << 20 };

/* Longest time without waking the front: it may find a PC that is in no map, and must ask for new maps while the
 * process lives. */
enum { UNREPORTED_NS = 50000000 };

static void notify(struct emitter *emitter)
{
    const uint64_t one = 1;
    if (atomic_exchange(&emitter->channel->shared->front_notified, 1))
        return;
    if (write(emitter->channel->ready, &one, sizeof one) < 0)
        return; /* the counter is full, so the front will wake up anyway */
}

/* Returns true if a ring with FILLED bytes is enough work for the front. */
static bool is_enough(const struct emitter *emitter, size_t filled)
{
    return filled > emitter->channel->ring.room / 4;
}

static void notify_when_filled(struct emitter *emitter)
{
    if (is_enough(emitter, ring_filled(&emitter->channel->ring)))
        notify(emitter);
}

static bool send(struct ring *ring, uint32_t type, const void *bytes, size_t size, const void *more, size_t more_size)
{
    unsigned char *place = ring_reserve(ring, type, size + more_size, 0);
    if (!place)
        return false;
    memcpy(place, bytes, size);
    if (more_size)
        memcpy(place + size, more, more_size);
    ring_publish(ring, size + more_size);
    return true;
}

void emit_retry(struct emitter *emitter)
{
    struct buffer *waiting = &emitter->waiting;
    size_t sent = 0;
    while (sent < waiting->length) {
        struct ring_header header;
        memcpy(&header, waiting->bytes + sent, sizeof header);
        if (!send(&emitter->channel->ring, header.type, waiting->bytes + sent + sizeof header, header.size, NULL, 0))
            break;
        sent += sizeof header + header.size;
    }
    if (!sent)
        return;
    memmove(waiting->bytes, waiting->bytes + sent, waiting->length - sent);
    waiting->length -= sent;
    notify(emitter);
}

static void keep(struct emitter *emitter, uint32_t type, const void *bytes, size_t size, const void *more,
                 size_t more_size)
{
    struct buffer *waiting = &emitter->waiting;
    struct ring_header header = {(uint32_t)(size + more_size), type};
    size_t before = waiting->length;
    if (before + sizeof header + header.size <= MOST_WAITING && buffer_append(waiting, &header, sizeof header) &&
        buffer_append(waiting, bytes, size) && buffer_append(waiting, more, more_size))
        return;
    waiting->length = before;
    atomic_fetch_add(&emitter->channel->shared->counts.lost_messages, 1);
}

void emit_message(struct emitter *emitter, enum message_type type, const void *bytes, size_t size, const void *more,
                  size_t more_size, bool urgent)
{
    if (emitter->closed)
        return;
    emit_retry(emitter);
    if (emitter->waiting.length || !send(&emitter->channel->ring, type, bytes, size, more, more_size))
        keep(emitter, type, bytes, size, more, more_size);
    if (urgent)
        notify(emitter);
    else
        notify_when_filled(emitter);
}

bool emit_question(struct emitter *emitter, const struct message_entries *question, const char *text)
{
    bool sent = send(&emitter->channel->questions, MESSAGE_ENTRIES, question, sizeof *question, text, question->length);
    if (sent)
        notify(emitter);
    return sent;
}

static size_t capture_size(size_t run_count, size_t bytes)
{
    return sizeof(struct message_capture) + run_count * sizeof(struct memory_run) + bytes;
}

struct message_capture *emit_reserve_capture(struct emitter *emitter, size_t run_count, size_t bytes)
{
    struct ring *ring = &emitter->channel->ring;
    struct message_capture *capture = NULL;
    emit_retry(emitter);
    if (!emitter->waiting.length)
        capture = ring_reserve(ring, MESSAGE_CAPTURE, capture_size(run_count, bytes), ring->room / 8);
    if (!capture) {
        atomic_fetch_add(&emitter->channel->shared->counts.lost_full, 1);
        notify(emitter);
    }
    return capture;
}

void emit_remind(struct emitter *emitter, uint64_t now_ns)
{
    size_t filled = ring_filled(&emitter->channel->ring);
    if (!filled || (now_ns - emitter->told_ns <= UNREPORTED_NS && !is_enough(emitter, filled)))
        return;
    emitter->told_ns = now_ns;
    notify(emitter);
}

void emit_capture(struct emitter *emitter, const struct message_capture *capture)
{
    ring_publish(&emitter->channel->ring,
                 capture_size(capture->run_count, (size_t)capture->stack_size + capture->interp_size));
}
