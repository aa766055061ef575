/* SPDX-License-Identifier: MIT */
#include "common/base/search.h"

#include "unit.h"

struct item {
    uint32_t other;
    uint64_t key;
};

static const struct item items[] = {{9, 0}, {8, 3}, {7, 3}, {6, 3}, {5, 10}, {4, UINT64_MAX}};

static const struct {
    uint64_t key;
    size_t count, up_to, below;
} rows[] = {
    {0, 6, 1, 0},  {1, 6, 1, 1},  {2, 6, 1, 1},          {3, 6, 4, 1}, {4, 6, 4, 4},
    {10, 6, 5, 4}, {11, 6, 5, 5}, {UINT64_MAX, 6, 6, 5}, {3, 3, 3, 1}, {UINT64_MAX, 5, 5, 5},
};

START_TEST(numbers_of_items)
{
    ck_assert_uint_eq(SEARCH_UP_TO(items, rows[_i].count, key, rows[_i].key), rows[_i].up_to);
    ck_assert_uint_eq(SEARCH_BELOW(items, rows[_i].count, key, rows[_i].key), rows[_i].below);
}
END_TEST

START_TEST(nothing_has_nothing)
{
    const struct item *none = NULL;
    ck_assert_uint_eq(SEARCH_UP_TO(none, 0, key, UINT64_MAX), 0);
    ck_assert_uint_eq(SEARCH_BELOW(none, 0, key, 0), 0);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("base/search");
    UNIT_ADD_TABLE(tests, numbers_of_items, rows);
    tcase_add_test(tests, nothing_has_nothing);
    return unit_end();
}
