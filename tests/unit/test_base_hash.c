/* SPDX-License-Identifier: MIT */
#include "common/base/hash.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

static bool same_number(const void *owner, uint32_t number, const void *key)
{
    const uint64_t *keys = owner;
    const uint64_t *wanted = key;
    return keys[number] == *wanted;
}

static uint32_t find(const struct hash *hash, uint64_t value, const uint64_t *keys, uint64_t key)
{
    return hash_find(hash, value, same_number, keys, &key);
}

START_TEST(an_empty_index_has_nothing)
{
    struct hash hash = {0};
    ck_assert_uint_eq(find(&hash, 1, NULL, 1), HASH_NONE);
    hash_remove(&hash, 1, 1);
    hash_renumber(&hash, 1, 1, 2);
    ck_assert_uint_eq(hash.count, 0);
    hash_fini(&hash);
    hash_fini(&hash);
}
END_TEST

/* Hash functions: a good one, a constant, and one with collisions at the table's end. */
static uint64_t value_mixed(uint64_t key)
{
    return hash_number(key);
}

static uint64_t value_constant(uint64_t key)
{
    (void)key;
    return 15;
}

static uint64_t value_crowded(uint64_t key)
{
    return UINT64_MAX - key % 3;
}

static uint64_t (*const values[])(uint64_t) = {value_mixed, value_constant, value_crowded};

/* Adds, removes and renumbers keys in a fixed pseudorandom order, and compares with an array. */
START_TEST(index_agrees_with_a_plain_array)
{
    enum { KEYS = 400, STEPS = 20000 };
    uint64_t (*value_of)(uint64_t) = values[_i];
    uint64_t keys[2 * KEYS];
    uint32_t number_of[KEYS]; /* of each key; HASH_NONE: it is not in the index */
    struct hash hash = {0};
    size_t live = 0;
    uint64_t random = 1;

    for (uint64_t i = 0; i < KEYS; i++) {
        keys[i] = keys[i + KEYS] = i;
        number_of[i] = HASH_NONE;
    }
    for (int step = 0; step < STEPS; step++) {
        random = hash_number(random + 1);
        uint64_t key = random % KEYS;
        uint64_t value = value_of(key);

        ck_assert_uint_eq(find(&hash, value, keys, key), number_of[key]);
        if (number_of[key] == HASH_NONE) {
            ck_assert(hash_add(&hash, value, (uint32_t)key));
            number_of[key] = (uint32_t)key;
            live++;
        } else if (random >> 32 & 1) {
            hash_remove(&hash, value, number_of[key]);
            number_of[key] = HASH_NONE;
            live--;
        } else {
            uint32_t renamed = (number_of[key] + KEYS) % (2 * KEYS);
            hash_renumber(&hash, value, number_of[key], renamed);
            number_of[key] = renamed;
        }
        ck_assert_uint_eq(hash.count, live);
    }
    for (uint64_t key = 0; key < KEYS; key++)
        ck_assert_uint_eq(find(&hash, value_of(key), keys, key), number_of[key]);
    /* with as many removals as additions, the index stops growing */
    ck_assert_uint_le(hash.room, 4 * 512);
    hash_fini(&hash);
}
END_TEST

START_TEST(removing_what_is_not_there_changes_nothing)
{
    const uint64_t keys[] = {10, 11};
    struct hash hash = {0};
    ck_assert(hash_add(&hash, 7, 0));
    hash_remove(&hash, 7, 1);
    hash_remove(&hash, 8, 0);
    hash_renumber(&hash, 8, 0, 1);
    ck_assert_uint_eq(hash.count, 1);
    ck_assert_uint_eq(find(&hash, 7, keys, 10), 0);
    hash_fini(&hash);
}
END_TEST

START_TEST(keys_with_one_hash_are_distinct)
{
    const uint64_t keys[] = {10, 11};
    struct hash hash = {0};
    ck_assert(hash_add(&hash, 7, 0));
    ck_assert(hash_add(&hash, 7, 1));
    ck_assert_uint_eq(find(&hash, 7, keys, 10), 0);
    ck_assert_uint_eq(find(&hash, 7, keys, 11), 1);
    hash_remove(&hash, 7, 0);
    ck_assert_uint_eq(find(&hash, 7, keys, 10), HASH_NONE);
    ck_assert_uint_eq(find(&hash, 7, keys, 11), 1);
    hash_fini(&hash);
}
END_TEST

static const struct {
    const char *a, *b;
    size_t a_size, b_size;
    bool equal;
} pairs[] = {
    {"", "", 0, 0, true},
    {"abc", "abc", 3, 3, true},
    {"abcdefghi", "abcdefghi", 9, 9, true},
    {"", "\0", 0, 1, false},
    {"\0", "\0\0", 1, 2, false},
    {"abc", "abd", 3, 3, false},
    {"abc", "abc\0", 3, 4, false},
    {"12345678abcdefgh", "abcdefgh12345678", 16, 16, false},
    {"12345678a", "12345678b", 9, 9, false},
    {"\0\0\0\0\0\0\0\0", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 8, 16, false},
};

START_TEST(bytes_follow_the_table)
{
    /* also at an odd address, where a word cannot be loaded */
    char copy[32];
    memcpy(copy + 1, pairs[_i].a, pairs[_i].a_size);
    uint64_t a = hash_bytes(pairs[_i].a, pairs[_i].a_size);
    ck_assert_uint_eq(hash_bytes(copy + 1, pairs[_i].a_size), a);
    ck_assert((a == hash_bytes(pairs[_i].b, pairs[_i].b_size)) == pairs[_i].equal);
}
END_TEST

START_TEST(numbers_in_a_row_spread)
{
    /* 4096 neighbouring addresses, in 1024 bins by their lowest bits */
    static const uint64_t steps[] = {1, 8, 4096, UINT64_C(1) << 32};
    unsigned bins[1024] = {0}, fullest = 0;
    for (uint64_t i = 0; i < 4096; i++) {
        unsigned *bin = &bins[hash_number(i * steps[_i]) % 1024];
        if (++*bin > fullest)
            fullest = *bin;
    }
    ck_assert_uint_le(fullest, 20);
}
END_TEST

/* An attacker chose keys with equal lower bits of the hash. */
START_TEST(chosen_numbers_spread)
{
    enum { KEYS = 4096, BINS = 1024 };
    static uint64_t keys[KEYS];
    unsigned bins[BINS] = {0}, fullest = 0;
    size_t count = 0;
    for (uint64_t key = 0; count < KEYS; key++)
        if (hash_number(key) % BINS == 0)
            keys[count++] = key;
    hash_begin();
    for (size_t i = 0; i < KEYS; i++) {
        unsigned *bin = &bins[hash_number(keys[i]) % BINS];
        if (++*bin > fullest)
            fullest = *bin;
    }
    ck_assert_uint_le(fullest, 30);
}
END_TEST

/* An attacker chose texts of two words: the second one cancels the first one's effect. */
START_TEST(chosen_texts_differ)
{
    enum { TEXTS = 1000 };
    const uint64_t between = 0x9e3779b97f4a7c15u; /* see hash_bytes */
    uint64_t texts[TEXTS][2];
    for (uint64_t i = 0; i < TEXTS; i++) {
        texts[i][0] = i;
        texts[i][1] = hash_number(sizeof texts[i] ^ i) + between;
    }
    ck_assert_uint_eq(hash_bytes(texts[0], sizeof texts[0]), hash_bytes(texts[1], sizeof texts[1]));
    hash_begin();
    for (size_t i = 1; i < TEXTS; i++)
        ck_assert(hash_bytes(texts[0], sizeof texts[0]) != hash_bytes(texts[i], sizeof texts[i]));
}
END_TEST

struct set {
    uint64_t *items;
    size_t count, room;
    struct hash index;
};

static bool set_has(const void *owner, uint32_t number, const void *key)
{
    return ((const struct set *)owner)->items[number] == *(const uint64_t *)key;
}

/* Each item exists once, in the order of first use. */
START_TEST(interned_items_are_there_once)
{
    struct set set = {0};
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t item = i * 7 % 1000 * 3;
        ck_assert_uint_eq(HASH_INTERN(&set, hash_number(item), set_has, &set, &item), i % 1000);
    }
    ck_assert_uint_eq(set.count, 1000);
    for (uint64_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(set.items[i], i * 7 % 1000 * 3);
    free(set.items);
    hash_fini(&set.index);
}
END_TEST

START_TEST(numbers_are_none_at_first)
{
    for (size_t count = 0; count < 5; count++) {
        uint32_t *numbers = hash_numbers(count);
        ck_assert_ptr_nonnull(numbers);
        for (size_t i = 0; i < count; i++)
            ck_assert_uint_eq(numbers[i], HASH_NONE);
        free(numbers);
    }
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/hash");
    tcase_add_test(tests, an_empty_index_has_nothing);
    UNIT_ADD_TABLE(tests, index_agrees_with_a_plain_array, values);
    tcase_add_test(tests, removing_what_is_not_there_changes_nothing);
    tcase_add_test(tests, keys_with_one_hash_are_distinct);
    UNIT_ADD_TABLE(tests, bytes_follow_the_table, pairs);
    tcase_add_loop_test(tests, numbers_in_a_row_spread, 0, 4);
    tcase_add_test(tests, chosen_numbers_spread);
    tcase_add_test(tests, chosen_texts_differ);
    tcase_add_test(tests, interned_items_are_there_once);
    tcase_add_test(tests, numbers_are_none_at_first);
    return unit_end();
}
