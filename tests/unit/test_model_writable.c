/* SPDX-License-Identifier: MIT */
#include "model/writable.h"

#include "unit.h"

static const char maps[] = "1000-2000 r-xp 00000000 00:00 0 /bin/x\n"
                           "2000-4000 rw-p 00000000 00:00 0\n"
                           "4000-5000 rwxs 00000000 00:00 0 /tmp/w w\n"
                           "5000-6000 r--p 00000000 00:00 0 w\n"
                           "8000-9000 -w-p 00000000 00:00 0\n"
                           "7ffffffff000-8000000000000000 rw-p 00000000 00:00 0\n";

static const struct {
    uint64_t address, size;
    bool writable;
} ranges[] = {
    {0x2000, 1, true},
    {0x2000, 0x3000, true}, /* two mappings, side by side */
    {0x3fff, 2, true},
    {0x2000, 0x3001, false},
    {0x1fff, 1, false},
    {0x1fff, 2, false},
    {0x5000, 1, false},
    {0x6000, 1, false}, /* nothing there */
    {0x7fff, 2, false},
    {0x8000, 0x1000, true},
    {0x8fff, 2, false},
    {0, 1, false},
    {0x7fffffffffffffff, 1, true},
    {0x7fffffffffffffff, 2, false},
    {0xfffffffffffffffe, 1, false},
};

START_TEST(ranges_follow_the_table)
{
    ck_assert_int_eq(writable_range(maps, ranges[_i].address, ranges[_i].size), ranges[_i].writable);
}
END_TEST

static const char *const broken[] = {"", "\n", "x", "2000", "2000-", "2000-4000", "2000-4000 ", "2000-4000 r", "-\n-\n"};

START_TEST(broken_text_is_not_writable)
{
    ck_assert(!writable_range(broken[_i], 0x2000, 1));
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/writable");
    UNIT_ADD_TABLE(tests, ranges_follow_the_table, ranges);
    UNIT_ADD_TABLE(tests, broken_text_is_not_writable, broken);
    return unit_end();
}
