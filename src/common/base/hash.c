/* SPDX-License-Identifier: MIT */
#include "common/base/hash.h"

#include "common/base/array.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct hash_slot {
    uint64_t value;
    uint32_t number; /* HASH_NONE: see state */
    uint32_t state;
};

enum { SLOT_EMPTY, SLOT_LIVE, SLOT_REMOVED };

static uint64_t secret;

void hash_begin(void)
{
    uint64_t random;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) == (ssize_t)sizeof random)
        secret = random;
}

uint64_t hash_number(uint64_t number)
{
    number ^= secret;
    number ^= number >> 32;
    number *= 0xd6e8feb86659fd93u;
    number ^= number >> 32;
    number *= 0xd6e8feb86659fd93u;
    number ^= number >> 32;
    return number;
}

uint64_t hash_bytes(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t value = size;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        value = hash_number(value ^ word) + 0x9e3779b97f4a7c15u;
    }
    if (size) {
        uint64_t word = 0;
        memcpy(&word, at, size);
        value = hash_number(value ^ word);
    }
    return value;
}

void hash_fini(struct hash *hash)
{
    free(hash->slots);
    memset(hash, 0, sizeof *hash);
}

uint32_t hash_find(const struct hash *hash, uint64_t value, hash_equal *equal, const void *owner, const void *key)
{
    if (!hash->room)
        return HASH_NONE;
    for (size_t at = value & (hash->room - 1);; at = (at + 1) & (hash->room - 1)) {
        const struct hash_slot *slot = &hash->slots[at];
        if (slot->state == SLOT_EMPTY)
            return HASH_NONE;
        if (slot->state == SLOT_LIVE && slot->value == value && equal(owner, slot->number, key))
            return slot->number;
    }
}

static void place(struct hash *hash, uint64_t value, uint32_t number)
{
    size_t at = value & (hash->room - 1);
    while (hash->slots[at].state == SLOT_LIVE)
        at = (at + 1) & (hash->room - 1);
    if (hash->slots[at].state == SLOT_EMPTY)
        hash->used++;
    hash->slots[at] = (struct hash_slot){value, number, SLOT_LIVE};
    hash->count++;
}

static bool rebuild(struct hash *hash, size_t room)
{
    struct hash grown = {.slots = calloc(room, sizeof *grown.slots), .room = room};
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < hash->room; i++)
        if (hash->slots[i].state == SLOT_LIVE)
            place(&grown, hash->slots[i].value, hash->slots[i].number);
    free(hash->slots);
    *hash = grown;
    return true;
}

bool hash_add(struct hash *hash, uint64_t value, uint32_t number)
{
    if ((hash->used + 1) * 4 > hash->room * 3) {
        size_t room = hash->room ? hash->room : 16;
        while ((hash->count + 1) * 2 > room)
            room *= 2;
        if (!rebuild(hash, room))
            return false;
    }
    place(hash, value, number);
    return true;
}

static struct hash_slot *slot_of(struct hash *hash, uint64_t value, uint32_t number)
{
    if (!hash->room)
        return NULL;
    for (size_t at = value & (hash->room - 1);; at = (at + 1) & (hash->room - 1)) {
        struct hash_slot *slot = &hash->slots[at];
        if (slot->state == SLOT_EMPTY)
            return NULL;
        if (slot->state == SLOT_LIVE && slot->value == value && slot->number == number)
            return slot;
    }
}

void hash_remove(struct hash *hash, uint64_t value, uint32_t number)
{
    struct hash_slot *slot = slot_of(hash, value, number);
    if (slot) {
        slot->state = SLOT_REMOVED;
        hash->count--;
    }
}

void hash_renumber(struct hash *hash, uint64_t value, uint32_t old, uint32_t new_number)
{
    struct hash_slot *slot = slot_of(hash, value, old);
    if (slot)
        slot->number = new_number;
}

uint32_t hash_append_(struct hash *hash, uint64_t value, const void *item, void **items, size_t *room, size_t *count,
                      size_t size)
{
    if (*count >= HASH_NONE || !array_reserve_(items, room, *count + 1, size) ||
        !hash_add(hash, value, (uint32_t)*count))
        return HASH_NONE;
    memcpy((char *)*items + *count * size, item, size);
    return (uint32_t)(*count)++;
}

uint32_t hash_intern_(struct hash *hash, uint64_t value, hash_equal *equal, const void *owner, const void *item,
                      void **items, size_t *room, size_t *count, size_t size)
{
    uint32_t number = hash_find(hash, value, equal, owner, item);
    return number != HASH_NONE ? number : hash_append_(hash, value, item, items, room, count, size);
}

uint32_t *hash_numbers(size_t count)
{
    size_t size = (count + 1) * sizeof(uint32_t);
    uint32_t *numbers = malloc(size);
    return numbers ? memset(numbers, 0xff, size) : NULL;
}
