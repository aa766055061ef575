/* SPDX-License-Identifier: MIT */
#include "front/session/waiting.h"

#include "common/base/buffer.h"
#include "common/wire/message.h"

enum { WAITING_MOST = 16 << 20 };

static size_t room_of(size_t size)
{
    return sizeof(struct waiting) + (size + 7) / 8 * 8;
}

bool waiting_add(struct buffer *queue, uint32_t type, const void *message, size_t size, struct waits waits)
{
    static const char zeros[8];
    struct waiting waiting = {type, (uint32_t)size, waits};
    size_t before = queue->length;
    if (before + room_of(size) <= WAITING_MOST && buffer_append(queue, &waiting, sizeof waiting) &&
        buffer_append(queue, message, size) && buffer_append(queue, zeros, room_of(size) - sizeof waiting - size))
        return true;
    queue->length = before;
    return false;
}

const struct waiting *waiting_after(const struct buffer *queue, const struct waiting *previous)
{
    size_t at = previous ? (size_t)((const char *)previous - queue->bytes) + room_of(previous->size) : 0;
    return at < queue->length ? (const void *)(queue->bytes + at) : NULL;
}

uint32_t waiting_image(const struct waiting *waiting)
{
    return *(const uint32_t *)(const void *)(waiting + 1);
}

bool waiting_has(const struct buffer *queue, uint32_t image)
{
    const struct waiting *waiting = NULL;
    while ((waiting = waiting_after(queue, waiting)))
        if (waiting_image(waiting) == image)
            return true;
    return false;
}

static bool has_arrived(const struct arrived_pages *arrived, uint64_t page)
{
    bool has = !page;
    for (uint32_t i = 0; i < arrived->count && !has; i++)
        has = arrived->pages[i] == page;
    return has;
}

bool waiting_is_due(const struct waiting *waiting, const struct arrived_pages *arrived, uint32_t image, uint32_t what,
                    bool held)
{
    const struct waits *waits = &waiting->waits;
    if (image && waiting_image(waiting) != image)
        return false;
    if (what && waits->now_for == MESSAGE_WAITED)
        return !held;
    return !what || (waits->now_for == what && (what != MESSAGE_CODE || has_arrived(arrived, waits->page)));
}

bool waiting_has_due(const struct buffer *queue, const struct arrived_pages *arrived, uint32_t image, uint32_t what)
{
    const struct waiting *waiting = NULL;
    bool held = false;
    while ((waiting = waiting_after(queue, waiting))) {
        if (waiting_is_due(waiting, arrived, image, what, held))
            return true;
        held |= waiting_image(waiting) == image;
    }
    return false;
}
