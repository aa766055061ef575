/* SPDX-License-Identifier: MIT
 *
 * A hash index: maps a key to the number of an item in an array of the owner. It stores only numbers and hashes, so one
 * implementation serves every key type without casts. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_NONE UINT32_MAX

struct hash {
    struct hash_slot *slots;
    size_t room;  /* a power of two, or 0 */
    size_t used;  /* slots taken, removed ones included */
    size_t count; /* live items */
};

/* Returns true if item NUMBER of the owner's array has KEY. */
typedef bool hash_equal(const void *owner, uint32_t number, const void *key);

/* Seeds all hashes of this process. Call it once, before the first hash. Otherwise every run has the same hashes,
 * and somebody could make a file whose keys all collide, which makes each lookup slow. */
void hash_begin(void);

/* A well mixed hash of SIZE bytes. */
uint64_t hash_bytes(const void *bytes, size_t size);

/* A well mixed hash of one number. */
uint64_t hash_number(uint64_t number);

/* Frees the memory of the index. The index is empty afterwards. A zeroed index is empty. */
void hash_fini(struct hash *hash);

/* Returns the number stored for KEY with hash VALUE, or HASH_NONE. */
uint32_t hash_find(const struct hash *hash, uint64_t value, hash_equal *equal, const void *owner, const void *key);

/* Adds NUMBER (not HASH_NONE) under hash VALUE. The caller has checked that its key is not there. Returns false, with
 * nothing changed, if memory runs out. */
bool hash_add(struct hash *hash, uint64_t value, uint32_t number);

/* Removes NUMBER, which was added under VALUE. Does nothing if it is not there. */
void hash_remove(struct hash *hash, uint64_t value, uint32_t number);

/* Changes the number of the entry OLD, added under VALUE. For owners that move their last item into a hole. */
void hash_renumber(struct hash *hash, uint64_t value, uint32_t old, uint32_t new_number);

/* Appends *ITEM, which is not in SET yet, under hash VALUE. Returns its number, or HASH_NONE, with nothing changed, if
 * memory runs out. SET has the members items, count, room, and index (of this header's type). */
#define HASH_APPEND(set, value, item)                                                                                  \
    hash_append_(&(set)->index, value, item, (void **)&(set)->items, &(set)->room, &(set)->count, sizeof *(set)->items)
uint32_t hash_append_(struct hash *hash, uint64_t value, const void *item, void **items, size_t *room, size_t *count,
                      size_t size);

/* Returns the number of the item of SET that equals *ITEM, by EQUAL with OWNER. If none does, appends *ITEM as
 * HASH_APPEND. */
#define HASH_INTERN(set, value, equal, owner, item)                                                                    \
    hash_intern_(&(set)->index, value, equal, owner, item, (void **)&(set)->items, &(set)->room, &(set)->count,        \
                 sizeof *(set)->items)
uint32_t hash_intern_(struct hash *hash, uint64_t value, hash_equal *equal, const void *owner, const void *item,
                      void **items, size_t *room, size_t *count, size_t size);

/* Returns COUNT numbers, each HASH_NONE; the caller frees them. Returns NULL only if memory runs out. */
uint32_t *hash_numbers(size_t count);

#endif
