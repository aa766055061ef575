/* SPDX-License-Identifier: MIT */
#include "programs/elf/range_cover.h"

#include "common/base/hash.h"
#include "unit.h"

#include <string.h>

START_TEST(nothing_covers_nothing)
{
    struct range_cover cover = {0};
    ck_assert_ptr_null(range_cover_find(&cover, 0));
    ck_assert(range_cover_build(&cover, NULL, 0));
    ck_assert_ptr_null(range_cover_find(&cover, 0));
    ck_assert_ptr_null(range_cover_find(&cover, UINT64_MAX));
    range_cover_fini(&cover);
    range_cover_fini(&cover);
}
END_TEST

START_TEST(the_inner_range_parts_the_outer_one)
{
    struct range_cover_part ranges[] = {
        {.start = 20, .end = 30, .item = 7, .priority = 1},
        {.start = 10, .end = 40, .item = 8, .priority = 0},
        {.start = 35, .end = 35, .item = 9, .priority = 2},
        {.start = 50, .end = 45, .item = 9, .priority = 2},
    };
    struct range_cover cover = {0};
    ck_assert(range_cover_build(&cover, ranges, UNIT_ROWS(ranges)));
    ck_assert_uint_eq(cover.count, 3);
    ck_assert_ptr_null(range_cover_find(&cover, 9));
    ck_assert_uint_eq(range_cover_find(&cover, 10)->item, 8);
    ck_assert_uint_eq(range_cover_find(&cover, 19)->item, 8);
    ck_assert_uint_eq(range_cover_find(&cover, 20)->item, 7);
    ck_assert_uint_eq(range_cover_find(&cover, 29)->item, 7);
    ck_assert_uint_eq(range_cover_find(&cover, 30)->item, 8);
    ck_assert_uint_eq(range_cover_find(&cover, 39)->item, 8);
    ck_assert_ptr_null(range_cover_find(&cover, 40));
    ck_assert_ptr_null(range_cover_find(&cover, 47));
    range_cover_fini(&cover);
}
END_TEST

enum { WIDTH = 64, RANGES = 40, ROUNDS = 500 };

/* Finds the expected item at ADDRESS by a linear search. */
static uint32_t winner(const struct range_cover_part *ranges, size_t count, uint64_t address)
{
    uint32_t best = UINT32_MAX, priority = 0;
    for (size_t i = 0; i < count; i++)
        if (address >= ranges[i].start && address < ranges[i].end && ranges[i].priority >= priority) {
            best = ranges[i].item;
            priority = ranges[i].priority;
        }
    return best;
}

START_TEST(pieces_agree_with_looking_at_all)
{
    struct range_cover cover = {0};
    uint64_t random = (uint64_t)_i;

    for (int round = 0; round < ROUNDS; round++) {
        struct range_cover_part ranges[RANGES];
        size_t count = (random = hash_number(random + 1)) % RANGES;
        for (size_t i = 0; i < count; i++) {
            random = hash_number(random + 1);
            uint64_t start = random % WIDTH;
            ranges[i] = (struct range_cover_part){
                .start = start, .end = start + (random >> 32) % 20, .item = (uint32_t)i, .priority = (uint32_t)i};
        }
        ck_assert(range_cover_build(&cover, ranges, count));
        ck_assert_uint_le(cover.count, 2 * count);
        for (uint64_t address = 0; address < WIDTH + 20; address++) {
            const struct range_cover_part *piece = range_cover_find(&cover, address);
            ck_assert_uint_eq(piece ? piece->item : UINT32_MAX, winner(ranges, count, address));
        }
    }
    range_cover_fini(&cover);
}
END_TEST

START_TEST(the_last_address_is_no_different)
{
    struct range_cover_part ranges[] = {{.start = UINT64_MAX - 1, .end = UINT64_MAX, .item = 1}};
    struct range_cover cover = {0};
    ck_assert(range_cover_build(&cover, ranges, 1));
    ck_assert_ptr_nonnull(range_cover_find(&cover, UINT64_MAX - 1));
    ck_assert_ptr_null(range_cover_find(&cover, UINT64_MAX));
    range_cover_fini(&cover);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("elf/range_cover");
    tcase_add_test(tests, nothing_covers_nothing);
    tcase_add_test(tests, the_inner_range_parts_the_outer_one);
    tcase_add_loop_test(tests, pieces_agree_with_looking_at_all, 0, 4);
    tcase_add_test(tests, the_last_address_is_no_different);
    return unit_end();
}
