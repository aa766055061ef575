/* SPDX-License-Identifier: MIT */
#include "common/model/address_map.h"

#include "unit.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char program[] = "1000-2000 r--p 00000000 08:01 7 /bin/x\n"
                              "2000-5000 r-xp 00001000 08:01 7 /bin/x\n"
                              "5000-6000 rw-p 00004000 08:01 7 /bin/x\n"
                              "8000-9000 rwxp 00000000 00:00 0 \n"
                              "9000-a000 r-xp 00000000 fd:02 8 /lib/a b.so (deleted)\n"
                              "f000-10000 r-xp 00000000 00:00 0 [vdso]\n"
                              "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n";

static struct address_map map_of(const char *text)
{
    struct address_map map = {0};
    ck_assert(address_map_parse(&map, text, SIZE_MAX));
    return map;
}

START_TEST(only_executable_ranges_are_kept)
{
    struct address_map map = map_of(program);
    ck_assert_uint_eq(map.count, 5);
    const struct address_range *range = &map.items[0];
    ck_assert_uint_eq(range->start, 0x2000);
    ck_assert_uint_eq(range->end, 0x5000);
    ck_assert_uint_eq(range->offset, 0x1000);
    ck_assert_uint_eq(range->inode, 7);
    ck_assert_uint_eq(range->device_major, 8);
    ck_assert_uint_eq(range->device_minor, 1);
    ck_assert_str_eq(range->path, "/bin/x");
    ck_assert_str_eq(map.items[1].path, "");
    ck_assert_str_eq(map.items[2].path, "/lib/a b.so (deleted)");
    ck_assert_uint_eq(map.items[2].device_major, 0xfd);
    ck_assert_str_eq(map.items[3].path, "[vdso]");
    ck_assert_str_eq(map.items[4].path, "[vsyscall]");
    address_map_fini(&map);
    ck_assert_ptr_null(map.items);
    ck_assert_uint_eq(map.count, 0);
    ck_assert_uint_eq(map.room, 0);
}
END_TEST

enum { NOWHERE = -1 };

static const struct {
    uint64_t address;
    int range;
} finds[] = {
    {0, NOWHERE},
    {0x1000, NOWHERE}, /* mapped, but not code */
    {0x1fff, NOWHERE},
    {0x2000, 0},
    {0x3456, 0},
    {0x4fff, 0},
    {0x5000, NOWHERE},
    {0x7fff, NOWHERE},
    {0x8000, 1},
    {0x8fff, 1},
    {0x9000, 2}, /* two adjacent mappings */
    {0x9fff, 2},
    {0xa000, NOWHERE},
    {0xefff, NOWHERE},
    {0xf000, 3},
    {0xffff, 3},
    {0x10000, NOWHERE},
    {0xffffffffff5fffff, NOWHERE},
    {0xffffffffff600000, 4},
    {0xffffffffff600fff, 4},
    {0xffffffffff601000, NOWHERE},
    {UINT64_MAX, NOWHERE},
};

START_TEST(find_follows_the_table)
{
    struct address_map map = map_of(program);
    const struct address_range *range = address_map_find(&map, finds[_i].address);
    ck_assert_ptr_eq(range, finds[_i].range == NOWHERE ? NULL : &map.items[finds[_i].range]);
    address_map_fini(&map);
}
END_TEST

START_TEST(nothing_is_in_an_empty_map)
{
    struct address_map map = {0};
    ck_assert_ptr_null(address_map_find(&map, 0));
    ck_assert_ptr_null(address_map_find(&map, UINT64_MAX));
    address_map_fini(&map);
    map = map_of("");
    ck_assert_uint_eq(map.count, 0);
    ck_assert_ptr_null(address_map_find(&map, 0));
    address_map_fini(&map);
}
END_TEST

/* Malformed texts give fewer mappings, but the map can always be searched. */
static const struct {
    const char *text;
    size_t count;
} hostile[] = {
    {"", 0},
    {"\n\n\n", 0},
    {"garbage", 0},
    {"1000-2000 r-xp 0 8:1 7 /a", 0}, /* truncated */
    {"1000-2000 r-xp 0 8:1 7 /a\n2000-30", 1},
    {"1000-2000 r-xp 0 8:1 7 /a\ngarbage\n2000-3000 r-xp 0 8:1 7 /a\n", 2},
    {"1000-2000 r-xp 0 8:1 7 /a\n1000-2000 r-xp 0 8:1 7 /a\n", 1},
    {"1000-3000 r-xp 0 8:1 7 /a\n2000-4000 r-xp 0 8:1 7 /b\n", 1},
    {"3000-4000 r-xp 0 8:1 7 /a\n1000-2000 r-xp 0 8:1 7 /b\n5000-6000 r-xp 0 8:1 7 /c\n", 2},
    {"1000-ffffffffffffffff r-xp 0 8:1 7 /a\n2000-3000 r-xp 0 8:1 7 /b\n", 1},
    {"2000-1000 r-xp 0 8:1 7 /a\n", 0},
};

START_TEST(hostile_texts_give_a_sorted_map)
{
    struct address_map map = map_of(hostile[_i].text);
    ck_assert_uint_eq(map.count, hostile[_i].count);
    for (size_t i = 0; i < map.count; i++) {
        ck_assert_uint_lt(map.items[i].start, map.items[i].end);
        ck_assert(!i || map.items[i - 1].end <= map.items[i].start);
        ck_assert_ptr_nonnull(map.items[i].path);
        ck_assert_ptr_eq(address_map_find(&map, map.items[i].start), &map.items[i]);
        ck_assert_ptr_eq(address_map_find(&map, map.items[i].end - 1), &map.items[i]);
    }
    address_map_fini(&map);
}
END_TEST

START_TEST(a_new_text_replaces_the_old)
{
    struct address_map map = map_of(program);
    ck_assert(address_map_parse(&map, "70000-71000 r-xp 0 8:1 9 /c\n", SIZE_MAX));
    ck_assert_uint_eq(map.count, 1);
    ck_assert_uint_eq(map.items[0].start, 0x70000);
    ck_assert_ptr_null(address_map_find(&map, 0x2000));
    ck_assert(address_map_parse(&map, "", SIZE_MAX));
    ck_assert_uint_eq(map.count, 0);
    address_map_fini(&map);
}
END_TEST

static const size_t limits[] = {0, 1, 3, 4, 5, 6, SIZE_MAX};

START_TEST(no_more_than_the_limit_are_kept)
{
    struct address_map map = {0};
    ck_assert(address_map_parse(&map, program, limits[_i]));
    ck_assert_uint_eq(map.count, limits[_i] < 5 ? limits[_i] : 5);
    if (limits[_i])
        ck_assert_uint_eq(map.items[0].start, 0x2000); /* the lowest ones are kept */
    address_map_fini(&map);
}
END_TEST

START_TEST(every_address_of_many_ranges_is_found)
{
    enum { COUNT = 3000 };
    size_t size = (size_t)COUNT * 64, used = 0, wrong = 0;
    char *text = malloc(size);
    ck_assert_ptr_nonnull(text);
    for (unsigned i = 0; i < COUNT; i++)
        used += (size_t)snprintf(text + used, size - used, "%x-%x r-xp 0 8:1 %u /f%u\n", i * 0x3000 + 0x1000,
                                 i * 0x3000 + 0x3000, i + 1, i);
    struct address_map map = map_of(text);
    ck_assert_uint_eq(map.count, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        wrong += address_map_find(&map, i * 0x3000 + 0xfff) != NULL;
        wrong += address_map_find(&map, i * 0x3000 + 0x1000) != &map.items[i];
        wrong += address_map_find(&map, i * 0x3000 + 0x2fff) != &map.items[i];
    }
    ck_assert_uint_eq(wrong, 0);
    address_map_fini(&map);
    free(text);
}
END_TEST

#define LINE "1000-2000 r-xp 00000000 08:01 7 /a\n"

static const struct {
    const char *one, *other;
    bool equal;
} pairs[] = {
    {"", "", true},
    {LINE, LINE, true},
    {LINE, "", false},
    {LINE, LINE "3000-4000 r-xp 00000000 08:01 7 /a\n", false},
    {LINE, LINE "3000-4000 rw-p 00000000 08:01 7 /a\n", true}, /* only code is compared */
    {LINE, "1000-2000 rwxs 00000000 08:01 7 /a\n", true},
    {LINE, "0800-2000 r-xp 00000000 08:01 7 /a\n", false},
    {LINE, "1000-3000 r-xp 00000000 08:01 7 /a\n", false},
    {LINE, "1000-2000 r-xp 00001000 08:01 7 /a\n", false},
    {LINE, "1000-2000 r-xp 00000000 09:01 7 /a\n", false},
    {LINE, "1000-2000 r-xp 00000000 08:02 7 /a\n", false},
    {LINE, "1000-2000 r-xp 00000000 08:01 8 /a\n", false},
    {LINE, "1000-2000 r-xp 00000000 08:01 7 /b\n", false},
    {LINE, "1000-2000 r-xp 00000000 08:01 7 /a (deleted)\n", false},
    {LINE "3000-4000 r-xp 0 8:1 7 /a\n", LINE "3000-4000 r-xp 0 8:1 7 /b\n", false},
};

START_TEST(equality_follows_the_table)
{
    struct address_map one = map_of(pairs[_i].one), other = map_of(pairs[_i].other);
    ck_assert(address_map_equal(&one, &other) == pairs[_i].equal);
    ck_assert(address_map_equal(&other, &one) == pairs[_i].equal);
    ck_assert(address_map_equal(&one, &one));
    address_map_fini(&one);
    address_map_fini(&other);
}
END_TEST

#define NEXT "3000-4000 r-xp 00000000 08:01 8 /b\n"

static const struct {
    const char *now, *before;
    bool lacks;
} histories[] = {
    {"", "", false},
    {LINE, "", false}, /* a new mapping */
    {LINE NEXT, NEXT, false},
    {"", LINE, true},
    {NEXT, LINE NEXT, true},
    {"1000-2000 r-xp 00000000 08:01 9 /a\n", LINE, true}, /* another file at the same address */
    {"1000-2000 r-xp 00001000 08:01 7 /a\n", LINE, true}, /* another part of it */
    {"1000-3000 r-xp 00000000 08:01 7 /a\n", LINE, true},
    {"1000-2000 r-xp 00000000 08:01 7 /a (deleted)\n", LINE, false},
    {LINE, LINE "3000-4000 r-xp 00000000 00:00 0\n", false}, /* not from a file */
};

START_TEST(removed_code_follows_the_table)
{
    struct address_map now = map_of(histories[_i].now), before = map_of(histories[_i].before);
    ck_assert(address_map_lacks(&now, &before) == histories[_i].lacks);
    address_map_fini(&now);
    address_map_fini(&before);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/address_map");
    tcase_add_test(tests, only_executable_ranges_are_kept);
    UNIT_ADD_TABLE(tests, find_follows_the_table, finds);
    tcase_add_test(tests, nothing_is_in_an_empty_map);
    UNIT_ADD_TABLE(tests, hostile_texts_give_a_sorted_map, hostile);
    tcase_add_test(tests, a_new_text_replaces_the_old);
    UNIT_ADD_TABLE(tests, no_more_than_the_limit_are_kept, limits);
    tcase_add_test(tests, every_address_of_many_ranges_is_found);
    UNIT_ADD_TABLE(tests, equality_follows_the_table, pairs);
    UNIT_ADD_TABLE(tests, removed_code_follows_the_table, histories);
    return unit_end();
}
