/* SPDX-License-Identifier: MIT */
#include "common/model/writable.h"

#include "unit.h"

static const char maps[] = "1000-2000 r-xp 00000000 00:00 0 /bin/x\n"
                           "2000-4000 rw-p 00000000 00:00 0\n"
                           "4000-5000 rwxs 00000000 08:01 17 /tmp/w w\n"
                           "5000-6000 r--p 00000000 00:00 0 w\n"
                           "8000-9000 -w-p 00000000 00:00 0\n"
                           "7ffffffff000-8000000000000000 rw-p 00000000 00:00 0\n";

/* The part that contains ADDRESS; END is 0 if it is not writable. */
static const struct {
    uint64_t address;
    struct writable_part part;
} places[] = {
    {0, {0}},
    {0x1fff, {0}},
    {0x2000, {0x2000, 0x4000, true, false}},
    {0x3fff, {0x2000, 0x4000, true, false}},
    {0x4000, {0x4000, 0x5000, true, true}},
    {0x5000, {0}},
    {0x6000, {0}}, /* not mapped */
    {0x7fff, {0}},
    {0x8000, {0x8000, 0x9000, false, false}},
    {0x9000, {0}},
    {0x7fffffffffffffff, {0x7ffffffff000, 0x8000000000000000, true, false}},
    {0x8000000000000000, {0}},
    {0xfffffffffffffffe, {0}},
};

START_TEST(parts_follow_the_table)
{
    const char *text = maps;
    struct writable_part part, expected = places[_i].part;
    ck_assert_int_eq(writable_find(&text, places[_i].address, &part), expected.end != 0);
    if (!expected.end)
        return;
    ck_assert_uint_eq(part.start, expected.start);
    ck_assert_uint_eq(part.end, expected.end);
    ck_assert_int_eq(part.readable, expected.readable);
    ck_assert_int_eq(part.of_file, expected.of_file);
}
END_TEST

START_TEST(the_next_part_is_found_from_there_on)
{
    const char *text = maps;
    struct writable_part part;
    ck_assert(writable_find(&text, 0x2000, &part) && writable_find(&text, part.end, &part));
    ck_assert_uint_eq(part.end, 0x5000);
    ck_assert(!writable_find(&text, part.end, &part));
    ck_assert(writable_find(&text, 0x8000, &part));
    ck_assert(!writable_find(&text, 0x2000, &part)); /* a search cannot go back */
}
END_TEST

static const char *const broken[] = {"",          "\n",         "x",           "2000",  "2000-",
                                     "2000-4000", "2000-4000 ", "2000-4000 r", "-\n-\n"};

START_TEST(broken_text_is_not_writable)
{
    struct writable_part part;
    const char *text = broken[_i];
    ck_assert(!writable_find(&text, 0x2000, &part));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/writable");
    UNIT_ADD_TABLE(tests, parts_follow_the_table, places);
    tcase_add_test(tests, the_next_part_is_found_from_there_on);
    UNIT_ADD_TABLE(tests, broken_text_is_not_writable, broken);
    return unit_end();
}
