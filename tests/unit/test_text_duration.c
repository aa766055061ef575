/* SPDX-License-Identifier: MIT */
#include "common/text/duration.h"

#include "unit.h"

#include <string.h>

static const struct {
    const char *text;
    uint64_t ns;
    bool right;
} rows[] = {
    {"3", 3000000000, true},
    {"3s", 3000000000, true},
    {"0", 0, true},
    {"0.25", 250000000, true},
    {".5s", 500000000, true},
    {"250ms", 250000000, true},
    {"1.5m", 90000000000, true},
    {"2min", 120000000000, true},
    {"1h", 3600000000000, true},
    {"7us", 7000, true},
    {"9ns", 9, true},
    {"1.9ns", 1, true},
    {"0.123456789", 123456789, true},
    {"0.1234567899", 123456789, true},
    {"0.000000001h", 3600, true},
    {"262800h", 946080000000000000, true},
    {"262800.1h", 0, false},
    {"99999999999999999999", 0, false},
    {"18446744074s", 0, false},
    {"", 0, false},
    {"s", 0, false},
    {".", 0, false},
    {"3.", 0, false},
    {"3.s", 0, false},
    {"-3s", 0, false},
    {"+3s", 0, false},
    {" 3s", 0, false},
    {"3 s", 0, false},
    {"3ss", 0, false},
    {"3d", 0, false},
    {"1e3", 0, false},
    {"0x10", 0, false},
    {"1,5s", 0, false},
};

START_TEST(texts_follow_the_table)
{
    uint64_t ns = 42;
    ck_assert(duration_parse(rows[_i].text, strlen(rows[_i].text), &ns) == rows[_i].right);
    ck_assert_uint_eq(ns, rows[_i].right ? rows[_i].ns : 42);
}
END_TEST

START_TEST(only_so_much_is_read)
{
    uint64_t ns = 0;
    ck_assert(duration_parse("3s..5s", 2, &ns));
    ck_assert_uint_eq(ns, 3000000000);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("text/duration");
    UNIT_ADD_TABLE(tests, texts_follow_the_table, rows);
    tcase_add_test(tests, only_so_much_is_read);
    return unit_end();
}
