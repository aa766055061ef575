/* SPDX-License-Identifier: MIT */
#include "common/model/runs.h"

#include "unit.h"

#include <string.h>

enum { PAGE = 4096, MOST_PAGES = 600 };

/* Pages as letters: + is present, . was never touched, s is in swap, f is a present page of a file. */
static uint64_t entry_of(char letter)
{
    switch (letter) {
    case '+':
        return PAGE_PRESENT | 0x1234;
    case 's':
        return PAGE_SWAPPED | 0x99;
    case 'f':
        return PAGE_PRESENT | PAGE_OF_FILE | 0x77;
    default:
        return 0;
    }
}

static const struct {
    const char *pages;    /* from address 16 * PAGE */
    uint64_t start, size; /* in bytes, relative to that address */
    uint64_t most;
    struct memory_run expected[4]; /* relative to that address */
    bool limited;
} plans[] = {
    {"++++", 0, 4 * PAGE, 65536, {{0, 4 * PAGE}}, false},
    {"++++", 100, 4 * PAGE - 100, 65536, {{100, 4 * PAGE - 100}}, false},
    {"++++", 100, 3 * PAGE, 65536, {{100, 3 * PAGE}}, false},
    {"+", 100, 8, 65536, {{100, 8}}, false},
    {"+..+", 100, 4 * PAGE - 100, 65536, {{100, PAGE - 100}, {3 * PAGE, PAGE}}, false},
    {"+.+.+", 0, 5 * PAGE, 65536, {{0, PAGE}, {2 * PAGE, PAGE}, {4 * PAGE, PAGE}}, false},
    {".+", PAGE - 128, PAGE + 128, 65536, {{PAGE, PAGE}}, false}, /* the red zone was never used */
    {"..++", 0, 4 * PAGE, 65536, {{2 * PAGE, 2 * PAGE}}, false},
    {"+...", 0, 4 * PAGE, 65536, {{0, PAGE}}, false},
    {"....", 0, 4 * PAGE, 65536, {{0, 0}}, false},
    /* holes do not count */
    {"+..+", 0, 4 * PAGE, 2 * PAGE, {{0, PAGE}, {3 * PAGE, PAGE}}, false},
    {"+..++", 0, 5 * PAGE, 2 * PAGE, {{0, PAGE}, {3 * PAGE, PAGE}}, true},
    {"+..++", 0, 5 * PAGE, 2 * PAGE + 8, {{0, PAGE}, {3 * PAGE, PAGE + 8}}, true},
    {"+..+", 0, 4 * PAGE, PAGE + 8, {{0, PAGE}, {3 * PAGE, 8}}, true},
    {"++++", 0, 4 * PAGE, 1024, {{0, 1024}}, true},
    {"++++", 8, 4 * PAGE - 8, 2 * PAGE, {{8, 2 * PAGE}}, true},
    {"++", 0, 2 * PAGE, 2 * PAGE, {{0, 2 * PAGE}}, false},
    /* a page with content elsewhere, such as in swap, ends the range */
    {"+s+", 0, 3 * PAGE, 65536, {{0, PAGE}}, false},
    {"+.s+", 0, 4 * PAGE, 65536, {{0, PAGE}}, false},
    {"s+", 0, 2 * PAGE, 65536, {{0, 0}}, false},
    {"ff+", 0, 3 * PAGE, 65536, {{0, 3 * PAGE}}, false},
    {"f.+", 0, 3 * PAGE, 65536, {{0, PAGE}}, false},
    {"f+.+", 0, 4 * PAGE, 65536, {{0, 2 * PAGE}, {3 * PAGE, PAGE}}, false},
};

#define FIRST ((uint64_t)16 * PAGE)

/* Adds STEP entries at a time. */
static void look(struct runs *runs, const char *pages, uint64_t start, size_t step)
{
    uint64_t entries[MOST_PAGES];
    size_t count = strlen(pages), at = (size_t)(start / PAGE), known;

    for (size_t i = 0; i < count; i++)
        entries[i] = entry_of(pages[i]);
    do {
        known = count - at < step ? count - at : step;
        ck_assert_uint_eq(runs->at / PAGE, FIRST / PAGE + at);
        at += known;
    } while (known && runs_look(runs, entries + at - known, known, PAGE));
}

START_TEST(present_pages_are_found)
{
    for (size_t step = 1; step < 8; step++) {
        struct runs runs;
        uint64_t bytes = 0;
        size_t count = 0;
        runs_begin(&runs, FIRST + plans[_i].start, FIRST + plans[_i].start + plans[_i].size, plans[_i].most);
        look(&runs, plans[_i].pages, plans[_i].start, step);
        for (; count < 4 && plans[_i].expected[count].size; count++) {
            ck_assert_uint_lt(count, runs.count);
            ck_assert_uint_eq(runs.items[count].start, FIRST + plans[_i].expected[count].start);
            ck_assert_uint_eq(runs.items[count].size, plans[_i].expected[count].size);
            bytes += runs.items[count].size;
        }
        ck_assert_uint_eq(runs.count, count);
        ck_assert_uint_eq(runs.bytes, bytes);
        ck_assert(runs.limited == plans[_i].limited);
    }
}
END_TEST

START_TEST(the_number_of_runs_is_limited)
{
    char pages[MOST_PAGES];
    struct runs runs;

    memset(pages, 0, sizeof pages);
    for (int i = 0; i < MOST_PAGES - 1; i++)
        pages[i] = i % 2 ? '.' : '+';
    runs_begin(&runs, FIRST, FIRST + (uint64_t)PAGE * MOST_PAGES, UINT64_MAX);
    look(&runs, pages, 0, MOST_PAGES);
    ck_assert_uint_eq(runs.count, RUNS_MOST);
    ck_assert_uint_eq(runs.bytes, RUNS_MOST * PAGE);
    ck_assert(runs.limited);
}
END_TEST

static const struct {
    uint64_t start, end, most, taken;
    bool limited;
} blind[] = {
    {1000, 9000, 65536, 8000, false},
    {1000, 9000, 5000, 5000, true},
    {1000, 1000, 5000, 0, false},
    {2000, 1000, 5000, 0, false},
    {UINT64_MAX - 10, UINT64_MAX, 5000, 10, false},
};

START_TEST(without_a_pagemap_all_is_taken_to_be_there)
{
    struct runs runs;
    runs_begin(&runs, blind[_i].start, blind[_i].end, blind[_i].most);
    runs_take_all(&runs);
    ck_assert_uint_eq(runs.bytes, blind[_i].taken);
    ck_assert_uint_eq(runs.count, blind[_i].taken > 0);
    ck_assert(runs.limited == blind[_i].limited);
}
END_TEST

/* A range ends at the last address, and does not wrap to 0. */
START_TEST(the_last_page_is_the_last)
{
    const uint64_t entries[] = {PAGE_PRESENT, PAGE_PRESENT, PAGE_PRESENT};
    struct runs runs;
    runs_begin(&runs, UINT64_MAX - PAGE - 10, UINT64_MAX, 65536);
    ck_assert(!runs_look(&runs, entries, 3, PAGE));
    ck_assert_uint_eq(runs.count, 1);
    ck_assert_uint_eq(runs.bytes, PAGE + 10);
}
END_TEST

static const struct memory_run three[] = {{1000, 100}, {2000, 200}, {5000, 50}};

static const struct {
    uint64_t start, end, most;
    struct memory_run left[3];
    uint64_t bytes;
} cuts[] = {
    {0, UINT64_MAX, UINT64_MAX, {{1000, 100}, {2000, 200}, {5000, 50}}, 350},
    {0, UINT64_MAX, 350, {{1000, 100}, {2000, 200}, {5000, 50}}, 350},
    {0, UINT64_MAX, 130, {{1000, 100}, {2000, 30}, {5000, 0}}, 130},
    {0, UINT64_MAX, 0, {{1000, 0}, {2000, 0}, {5000, 0}}, 0},
    {0, 2010, 350, {{1000, 100}, {2000, 10}, {5000, 0}}, 110},
    {0, 2000, 350, {{1000, 100}, {2000, 0}, {5000, 0}}, 100},
    {0, 10, 350, {{1000, 0}, {2000, 0}, {5000, 0}}, 0},
    {1040, UINT64_MAX, 350, {{1040, 60}, {2000, 200}, {5000, 50}}, 310},
    {1100, UINT64_MAX, 350, {{1100, 0}, {2000, 200}, {5000, 50}}, 250},
    {1500, 5010, 205, {{1500, 0}, {2000, 200}, {5000, 5}}, 205},
};

START_TEST(runs_are_cut)
{
    struct memory_run items[3];
    memcpy(items, three, sizeof items);
    ck_assert_uint_eq(runs_cut(items, 3, cuts[_i].start, cuts[_i].end, cuts[_i].most), cuts[_i].bytes);
    for (size_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(items[i].size, cuts[_i].left[i].size);
        if (items[i].size)
            ck_assert_uint_eq(items[i].start, cuts[_i].left[i].start);
    }
}
END_TEST

static const struct {
    struct memory_run items[2];
    uint64_t size;
    bool fit;
} fits[] = {
    {{{0, 10}, {100, 20}}, 30, true},
    {{{0, 10}, {100, 20}}, 31, true},
    {{{0, 10}, {100, 20}}, 29, false},
    {{{0, 31}, {100, 0}}, 30, false},
    {{{0, 0}, {0, 0}}, 0, true},
    {{{0, UINT64_MAX}, {100, 31}}, 30, false},
    {{{0, 20}, {100, UINT64_MAX - 10}}, 30, false},
    {{{UINT64_MAX - 8, 8}, {100, 8}}, 16, true},
    {{{100, 8}, {UINT64_MAX - 7, 8}}, 16, false},
    {{{100, 8}, {UINT64_MAX, 8}}, 16, false},
};

START_TEST(copies_fit_or_do_not)
{
    ck_assert(runs_fit(fits[_i].items, 2, fits[_i].size) == fits[_i].fit);
    ck_assert(runs_fit(NULL, 0, fits[_i].size));
}
END_TEST

static const struct {
    uint64_t address, size;
    bool found;
    uint64_t next, place;
} looks[] = {
    {1000, 8, true, 1000, 0},        {1092, 8, true, 1092, 92},    {1093, 8, true, 2000, 100},
    {1099, 1, true, 1099, 99},       {0, 8, true, 1000, 0},        {1500, 8, true, 2000, 100},
    {2100, 8, true, 2100, 200},      {2192, 8, true, 2192, 292},   {2193, 8, true, 5000, 300},
    {5042, 8, true, 5042, 342},      {5043, 8, false, 0, 0},       {6000, 8, false, 0, 0},
    {UINT64_MAX, 8, false, 0, 0},    {1000, 150, true, 2000, 100}, {1000, 201, false, 0, 0},
    {1000, UINT64_MAX, false, 0, 0},
};

START_TEST(addresses_are_found)
{
    uint64_t address = looks[_i].address, place = 0;
    ck_assert(runs_next(three, 3, looks[_i].size, &address, &place) == looks[_i].found);
    ck_assert_uint_eq(address, looks[_i].found ? looks[_i].next : looks[_i].address);
    ck_assert_uint_eq(place, looks[_i].place);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/runs");
    UNIT_ADD_TABLE(tests, present_pages_are_found, plans);
    tcase_add_test(tests, the_number_of_runs_is_limited);
    UNIT_ADD_TABLE(tests, without_a_pagemap_all_is_taken_to_be_there, blind);
    tcase_add_test(tests, the_last_page_is_the_last);
    UNIT_ADD_TABLE(tests, runs_are_cut, cuts);
    UNIT_ADD_TABLE(tests, copies_fit_or_do_not, fits);
    UNIT_ADD_TABLE(tests, addresses_are_found, looks);
    return unit_end();
}
