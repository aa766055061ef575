/* SPDX-License-Identifier: MIT */
#include "common/base/array.h"

#include "unit.h"

#include <stdint.h>
#include <stdlib.h>

static const struct {
    size_t room, need, size, grown; /* grown 0: fails */
} growths[] = {
    {0, 0, 4, 8},
    {0, 1, 4, 8},
    {0, 8, 4, 8},
    {0, 9, 4, 16},
    {8, 9, 4, 16},
    {8, 100, 1, 128},
    {5, 11, 3, 20},
    /* overflow of the count and of the bytes */
    {8, SIZE_MAX, 1, 0},
    {8, SIZE_MAX / 2 + 2, 1, 0},
    {8, SIZE_MAX / 16, 64, 0},
    {8, 9, SIZE_MAX / 8, 0},
    /* sizes beyond any machine's memory */
    {8, SIZE_MAX / 4, 1, 0},
};

START_TEST(grow_follows_the_table)
{
    size_t room = growths[_i].room, size = growths[_i].size;
    unsigned char *old = room ? malloc(64) : NULL;
    if (old)
        old[0] = 42;

    unsigned char *grown = array_grow(old, &room, growths[_i].need, size);
    if (growths[_i].grown) {
        ck_assert_ptr_nonnull(grown);
        ck_assert_uint_eq(room, growths[_i].grown);
        ck_assert(!old || grown[0] == 42);
        grown[room * size - 1] = 1;
        free(grown);
    } else {
        ck_assert_ptr_null(grown);
        ck_assert_uint_eq(room, growths[_i].room);
        ck_assert_uint_eq(old[0], 42);
        free(old);
    }
}
END_TEST

START_TEST(grow_leaves_what_is_large_enough)
{
    size_t room = 10;
    int *items = malloc(room * sizeof *items);
    ck_assert_ptr_eq(array_grow(items, &room, 10, sizeof *items), items);
    ck_assert_ptr_eq(array_grow(items, &room, 0, sizeof *items), items);
    ck_assert_uint_eq(room, 10);
    free(items);
}
END_TEST

START_TEST(one_more_can_always_be_put_in)
{
    struct {
        uint64_t *items;
        size_t count, room;
    } array = {0};

    for (uint64_t i = 0; i < 1000; i++) {
        ck_assert(ARRAY_RESERVE_ONE(&array));
        ck_assert_uint_gt(array.room, array.count);
        array.items[array.count++] = i * i;
    }
    for (uint64_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(array.items[i], i * i);
    free(array.items);
}
END_TEST

START_TEST(one_more_that_overflows_is_refused)
{
    uint64_t item = 42;
    struct {
        uint64_t *items;
        size_t count, room;
    } array = {&item, SIZE_MAX / 8, SIZE_MAX / 8};

    ck_assert(!ARRAY_RESERVE_ONE(&array));
    ck_assert_ptr_eq(array.items, &item);
    ck_assert_uint_eq(array.room, SIZE_MAX / 8);
    ck_assert_uint_eq(array.count, SIZE_MAX / 8);
    ck_assert_uint_eq(item, 42);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/array");
    UNIT_ADD_TABLE(tests, grow_follows_the_table, growths);
    tcase_add_test(tests, grow_leaves_what_is_large_enough);
    tcase_add_test(tests, one_more_can_always_be_put_in);
    tcase_add_test(tests, one_more_that_overflows_is_refused);
    return unit_end();
}
