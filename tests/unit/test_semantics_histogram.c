/* SPDX-License-Identifier: MIT */
#include "common/semantics/histogram.h"

#include "unit.h"
#include "vectors.h"

#define UNTOUCHED UINT64_C(0x5555555555555555)
#define TOP UINT64_MAX

static enum bin_formula index_of(const char *system, const char *call)
{
    const struct semantics *semantics = semantics_find(system);
    ck_assert_msg(semantics != NULL, "no system %s", system);
    return (enum bin_formula)semantics_value(semantics,
                                             strcmp(call, "profil") ? RULE_SPROFIL_INDEX : RULE_PROFIL_INDEX);
}

/* Vectors about the call itself belong to test_semantics_call_state.c. */
START_TEST(cells_follow_the_vectors)
{
    FILE *file = vectors_open("histogram.tsv");
    struct vector vector;
    size_t count = 0;
    for (; vectors_histogram(file, &vector); count++) {
        uint64_t cell = UNTOUCHED;
        if (!strcmp(vector.result, "off") || !strcmp(vector.result, "EINVAL"))
            continue;
        bool counted =
            histogram_cell(&vector.regions[0], index_of(vector.system, vector.call), vector.width, vector.pc, &cell);
        bool expected = strcmp(vector.result, "-") != 0;
        uint64_t number = expected ? strtoull(vector.result, NULL, 10) : UNTOUCHED;
        ck_assert_msg(counted == expected && cell == number, "%s: %d %#lx", vector.line, counted, cell);
    }
    ck_assert_uint_eq(count, VECTORS_HISTOGRAM);
    fclose(file);
}
END_TEST

START_TEST(regions_follow_the_vectors)
{
    FILE *file = vectors_open("sprofil.tsv");
    struct vector vector;
    size_t count = 0;
    for (; vectors_sprofil(file, &vector); count++) {
        uint64_t cell = UNTOUCHED;
        char text[64] = "-";
        int region = histogram_region(vector.regions, vector.count, index_of(vector.system, "sprofil"), vector.width,
                                      vector.pc, &cell);
        if (region >= 0 && histogram_is_overflow(&vector.regions[region]))
            snprintf(text, sizeof text, "overflow:%d", region);
        else if (region >= 0)
            snprintf(text, sizeof text, "%d:%lu", region, cell);
        bool off = !strcmp(vector.result, "off"); /* no region counts, so the call turns profiling off */
        ck_assert_msg(!strcmp(text, off ? "-" : vector.result), "%s: %s", vector.line, text);
        ck_assert_msg((region >= 0) == (cell != UNTOUCHED), "%s: %#lx", vector.line, cell);
    }
    ck_assert_uint_eq(count, VECTORS_SPROFIL);
    fclose(file);
}
END_TEST

/* Extreme numbers, which the vectors lack. CELL is UNTOUCHED if nothing is counted. */
static const struct {
    enum bin_formula index;
    unsigned width;
    uint64_t size, offset, scale, pc, cell;
} cells[] = {
    {INDEX_NEVER, 2, TOP, 0, 0x10000, 0, UNTOUCHED},
    /* products are not truncated to 32 or 64 bits */
    {INDEX_BSD, 2, TOP, 0, 0x10000, TOP, UNTOUCHED},
    {INDEX_BSD, 2, TOP, 0, 0x10000, TOP - 1, UNTOUCHED}, /* one beyond the end: size / 2 is rounded down */
    {INDEX_BSD, 2, TOP, 0, 0x10000, TOP - 3, (TOP - 3) / 2},
    {INDEX_BSD, 2, TOP, 0, 0xffffffff, TOP, UNTOUCHED},
    {INDEX_BSD, 2, TOP, 0, TOP, TOP, UNTOUCHED},
    {INDEX_BSD, 2, TOP, 0, 1, TOP, 0x7fffffffffff},
    {INDEX_BSD, 2, 0x200, 0x400000, 0xffffffff, 0x400002, UNTOUCHED},
    {INDEX_BSD, 2, 0x20000, 0x400000, 0xffffffff, 0x400002, 0xffff},
    {INDEX_IRIX, 2, TOP, 0, 0x10000, TOP - 3, (TOP - 3) / 2},
    {INDEX_IRIX, 4, TOP, 0, 0x10000, TOP - 7, (TOP - 7) / 4},
    {INDEX_IRIX, 4, TOP, 0, 0x10000, TOP, UNTOUCHED},
    {INDEX_IRIX, 2, TOP, 0, TOP, TOP, UNTOUCHED},
    {INDEX_LINUX, 2, TOP, 0, TOP, TOP, UNTOUCHED},
    {INDEX_LINUX, 2, TOP, 0, 0x10000, TOP - 3, (TOP - 3) / 2},
    {INDEX_LINUX, 2, TOP, 0, TOP, 6, 0x2ffffffffffff},
    {INDEX_LINUX, 2, TOP, 0, 1, TOP, 0x7fffffffffff},
    {INDEX_LINUX, 2, 0x200, 0, 0x80000000, UINT64_C(1) << 50, UNTOUCHED}, /* exactly 2^64 */
    {INDEX_ILLUMOS, 2, TOP, 0, 0x10000, TOP - 1, TOP / 2},
    {INDEX_ILLUMOS, 2, TOP, 0, 0x10000, TOP, UNTOUCHED},
    {INDEX_ILLUMOS, 2, TOP, 0, TOP, TOP, UNTOUCHED},
    /* the kernel keeps 31 bits, so high PCs wrap */
    {INDEX_BSD_BUILT, 2, TOP, 0, 0x10000, 0x7fffffff, 0x3fffffff},
    {INDEX_BSD_BUILT, 2, TOP, 0, 0x10000, 0x80000000, UNTOUCHED},
    {INDEX_BSD_BUILT, 2, TOP, 0, 0x10000, 0xffffffff, UNTOUCHED},
    {INDEX_BSD_BUILT, 2, 0x200, 0, 0x10000, 0x100000004, 2},
    {INDEX_BSD_BUILT, 2, 0x200, 0, 0x10000, TOP << 32 | 4, 2},
    {INDEX_BSD_BUILT, 2, 3, 0, 0x10000, 3, 1}, /* the byte's index is compared, not the bin's end */
    {INDEX_BSD, 2, 3, 0, 0x10000, 3, UNTOUCHED},
    {INDEX_ILLUMOS, 2, 3, 0, 0x10000, 2, 1},
    {INDEX_ILLUMOS, 2, 3, 0, 0x10000, 3, UNTOUCHED},
    /* below the offset: Linux wraps to high addresses */
    {INDEX_BSD, 2, TOP, 0x400000, 0x10000, 0x3fffff, UNTOUCHED},
    {INDEX_BSD_BUILT, 2, TOP, 0x400000, 0x10000, 0x3fffff, UNTOUCHED},
    {INDEX_IRIX, 2, TOP, 0x400000, 2, 0x3fffff, UNTOUCHED},
    {INDEX_ILLUMOS, 2, TOP, 0x400000, 2, 0x3fffff, UNTOUCHED},
    {INDEX_LINUX, 2, 0x200, 0x400000, 0x10000, 0x3fffff, UNTOUCHED},
    {INDEX_LINUX, 2, TOP, 0x400000, 0x8000, 0x3fffff, 0x3fffffffffffffff},
    {INDEX_LINUX, 2, 2, 0x400000, 0, 0x3fffff, 0},
    {INDEX_LINUX, 2, 2, TOP, 0x10000, 0, 0}, /* TOP is 0 - 1 */
    /* this scale selects the first cell for every PC, if it exists */
    {INDEX_IRIX, 2, 2, 0, 2, TOP, 0},
    {INDEX_IRIX, 2, 1, 0, 2, TOP, UNTOUCHED},
    {INDEX_IRIX, 4, 3, 0, 2, TOP, UNTOUCHED},
    {INDEX_IRIX, 4, 4, 0, 2, TOP, 0},
    {INDEX_ILLUMOS, 2, 0, 0, 2, TOP, 0},
    {INDEX_LINUX, 2, 2, 0, 0, TOP, 0},
    {INDEX_LINUX, 2, 1, 0, 0, 0, UNTOUCHED},
    /* no cells */
    {INDEX_BSD, 2, 0, 0, 0x10000, 0, UNTOUCHED},
    {INDEX_BSD_BUILT, 2, 0, 0, 0x10000, 0, UNTOUCHED},
    {INDEX_IRIX, 2, 0, 0, 0x10000, 0, UNTOUCHED},
    {INDEX_ILLUMOS, 2, 0, 0, 0x10000, 0, UNTOUCHED},
    {INDEX_LINUX, 4, 3, 0, 0x10000, 0, UNTOUCHED},
};

START_TEST(cells_at_the_ends_follow_the_table)
{
    struct histogram histogram = {0, cells[_i].size, cells[_i].offset, cells[_i].scale, false};
    uint64_t cell = UNTOUCHED;
    bool counted = histogram_cell(&histogram, cells[_i].index, cells[_i].width, cells[_i].pc, &cell);
    ck_assert_uint_eq(cell, cells[_i].cell);
    ck_assert(counted == (cells[_i].cell != UNTOUCHED));
}
END_TEST

/* 32-bit programs: a PC below the offset wraps at 4 GiB. */
static const struct {
    enum bin_formula index;
    uint64_t size, offset, scale, pc, cell;
} compat[] = {
    {INDEX_LINUX, TOP, 0x400000, 0x8000, 0x3fffff, 0x3fffffff},
    {INDEX_LINUX, 0x10000, 0xfffffff0, 1, 0xfff0, 0},
    {INDEX_LINUX, 0x10000, 0x10000, 1, 0, 0x7fff},
    {INDEX_LINUX, 0xfffe, 0x10000, 1, 0, UNTOUCHED},
    {INDEX_LINUX, TOP, 0, 0xffffffff, 0xffffffff, 0xfffe8000}, /* the low 32 bits of 0x7ffffffe8000 */
    {INDEX_LINUX, 0x200, 0x1000, 0x40000, 0x80001000, 0},
    {INDEX_LINUX, 0x200, 0x1000, 0x40000, 0x80001006, 12},
    {INDEX_LINUX, 0x200, 0x1000, 0x40000, 0x40001000, UNTOUCHED},
    {INDEX_LINUX, 0x100, 0xf7000000, 0x10000, 0xf7000004, 2},
    {INDEX_BSD, TOP, 0x400000, 0x10000, 0x3fffff, UNTOUCHED},
    {INDEX_IRIX, TOP, 0x400000, 2, 0x3fffff, UNTOUCHED},
    {INDEX_ILLUMOS, TOP, 0x400000, 2, 0x3fffff, UNTOUCHED},
    {INDEX_ILLUMOS, TOP, 0x400000, 0x10000, 0xffffffff, 0x7fdfffff},
};

START_TEST(cells_of_32_bit_programs_follow_the_table)
{
    struct histogram histogram = {0, compat[_i].size, compat[_i].offset, compat[_i].scale, true};
    uint64_t cell = UNTOUCHED;
    bool counted = histogram_cell(&histogram, compat[_i].index, 2, compat[_i].pc, &cell);
    ck_assert_uint_eq(cell, compat[_i].cell);
    ck_assert(counted == (compat[_i].cell != UNTOUCHED));
}
END_TEST

/* SIZE, OFFSET and SCALE of up to three regions; COUNT of them exist. */
static const struct {
    size_t count;
    uint64_t regions[3][3];
    uint64_t pc;
    int region;
    uint64_t cell;
} places[] = {
    {0, {{0}}, 0, -1, UNTOUCHED},
    {1, {{0x40, 0x1000, 0x10000}}, 0x1004, 0, 2},
    {1, {{0x40, 0x1000, 0x10000}}, 0xfff, -1, UNTOUCHED},
    {1, {{TOP, 0x1000, 2}}, 0xfff, -1, UNTOUCHED}, /* regions do not wrap, on Linux either */
    {1, {{0x40, 0x1000, 0x10000}}, 0x1040, -1, UNTOUCHED},
    {1, {{0x40, 0x1000, 1}}, 0x1004, -1, UNTOUCHED},
    /* the region with the highest offset below the PC is used, in any order */
    {2, {{0x40, 0x1000, 0x10000}, {0x10, 0x1010, 0x10000}}, 0x1010, 1, 0},
    {2, {{0x10, 0x1010, 0x10000}, {0x40, 0x1000, 0x10000}}, 0x1010, 0, 0},
    {2, {{0x10, 0x1010, 0x10000}, {0x40, 0x1000, 0x10000}}, 0x100e, 1, 7},
    {2, {{0x10, 0x1010, 0x10000}, {0x40, 0x1000, 0x10000}}, 0x1020, 1, 16}, /* behind its end */
    {2, {{0x40, 0x1000, 0x10000}, {0x10, 0x1010, 1}}, 0x1010, 0, 8},        /* it is disabled, and hides no other
                                                                             * region */
    {2, {{0x40, 0x1000, 0x10000}, {0, 0x1010, 0x10000}}, 0x1010, 0, 8},
    {3, {{0x40, 0x1000, 0x10000}, {0x10, 0x1010, 0x10000}, {0x10, 0x1018, 0x10000}}, 0x1022, 2, 5},
    {3, {{0x10, 0x1018, 0x10000}, {0x10, 0x1010, 0x10000}, {0x40, 0x1000, 0x10000}}, 0x102a, 2, 21},
    /* two regions with one offset: the first one in the list */
    {2, {{0x40, 0x1000, 0x8000}, {0x40, 0x1000, 0x10000}}, 0x1010, 0, 4},
    {2, {{0x10, 0x1000, 0x10000}, {0x40, 0x1000, 0x10000}}, 0x1010, 1, 8},
    /* a region of this form counts the other PCs */
    {2, {{0x40, 0x1000, 0x10000}, {2, 0, 2}}, 0, 1, 0},
    {2, {{0x40, 0x1000, 0x10000}, {2, 0, 2}}, TOP, 1, 0},
    {2, {{0x40, 0x1000, 0x10000}, {2, 0, 2}}, 0x1004, 0, 2},
    {2, {{0x40, 0x1000, 0x10000}, {1, 0, 2}}, TOP, -1, UNTOUCHED}, /* it has no space for a cell */
    {2, {{0x40, 0x1000, 0x10000}, {0, 0, 2}}, TOP, -1, UNTOUCHED},
    {1, {{2, 0, 2}}, 0x1004, 0, 0},
    {2, {{0x40, 0x1000, 0x10000}, {2, 1, 2}}, 0, -1, UNTOUCHED}, /* another form */
    {2, {{2, 0, 2}, {0x40, 0x1000, 0x10000}}, TOP, 0, 0},        /* at any position */
    {2, {{2, 0, 2}, {0x40, 0x1000, 0x10000}}, 0x1004, 1, 2},
    {3, {{2, 0, 2}, {0x40, 0x1000, 0x10000}, {2, 0, 2}}, TOP, 0, 0}, /* the first of two */
    {3, {{1, 0, 2}, {0x40, 0x1000, 0x10000}, {2, 0, 2}}, TOP, 2, 0}, /* the first one with space */
    /* a region up to the last address */
    {1, {{TOP, TOP - 1, 0x10000}}, TOP, 0, 0},
    {1, {{TOP, 0, TOP}}, 0, 0, 0},
};

START_TEST(regions_follow_the_table)
{
    struct histogram regions[3] = {0};
    static const enum bin_formula rules[] = {INDEX_LINUX, INDEX_IRIX};
    for (size_t i = 0; i < 3; i++)
        regions[i] =
            (struct histogram){0, places[_i].regions[i][0], places[_i].regions[i][1], places[_i].regions[i][2], false};
    for (size_t i = 0; i < UNIT_ROWS(rules); i++) {
        uint64_t cell = UNTOUCHED;
        int region = histogram_region(regions, places[_i].count, rules[i], 2, places[_i].pc, &cell);
        ck_assert_int_eq(region, places[_i].region);
        ck_assert_uint_eq(cell, places[_i].cell);
    }
}
END_TEST

enum { STOPS = 0xabcdef }; /* not a result of any row */

static const struct {
    enum rule_counter kind;
    unsigned width;
    uint32_t old;
    uint64_t ticks;
    uint32_t new;
} additions[] = {
    {COUNTER_WRAPS, 2, 0, 1, 1},
    {COUNTER_WRAPS, 2, 65535, 1, 0},
    {COUNTER_WRAPS, 2, 65535, 3, 2},
    {COUNTER_WRAPS, 2, 5, 0x30000, 5},
    {COUNTER_WRAPS, 2, 5, TOP, 4},
    {COUNTER_WRAPS, 4, 65535, 1, 65536},
    {COUNTER_WRAPS, 4, 0xffffffff, 1, 0},
    {COUNTER_WRAPS, 4, 7, UINT64_C(1) << 40, 7},
    {COUNTER_SATURATES, 2, 0, 1, 1},
    {COUNTER_SATURATES, 2, 65534, 1, 65535},
    {COUNTER_SATURATES, 2, 65534, 2, 65535},
    {COUNTER_SATURATES, 2, 65535, 1, 65535},
    {COUNTER_SATURATES, 2, 65535, 0, 65535},
    {COUNTER_SATURATES, 2, 0, TOP, 65535},
    {COUNTER_SATURATES, 4, 65535, 1, 65536},
    {COUNTER_SATURATES, 4, 0xfffffffe, 1, 0xffffffff},
    {COUNTER_SATURATES, 4, 0xffffffff, 1, 0xffffffff},
    {COUNTER_SATURATES, 4, 1, UINT64_C(1) << 32, 0xffffffff},
    {COUNTER_STOPS_AT_32767, 2, 0, 1, 1},
    {COUNTER_STOPS_AT_32767, 2, 32766, 1, 32767},
    {COUNTER_STOPS_AT_32767, 2, 32766, 2, STOPS},
    {COUNTER_STOPS_AT_32767, 2, 32767, 1, STOPS},
    {COUNTER_STOPS_AT_32767, 2, 0, 32768, STOPS}, /* one debt of many ticks */
    {COUNTER_STOPS_AT_32767, 2, 65534, 1, STOPS},
    {COUNTER_STOPS_AT_32767, 2, 65535, 1, 0}, /* the sum is computed first */
    {COUNTER_STOPS_AT_32767, 2, 40000, 30000, 4464},
    {COUNTER_STOPS_AT_32767, 2, 0, 65536, 0},
};

START_TEST(counters_follow_the_table)
{
    uint32_t new = STOPS;
    bool goes_on = counter_add(additions[_i].kind, additions[_i].width, additions[_i].old, additions[_i].ticks, &new);
    ck_assert_uint_eq(new, additions[_i].new);
    ck_assert(goes_on == (additions[_i].new != STOPS));
}
END_TEST

static const struct {
    uint64_t clock;
    unsigned hz;
    uint64_t ticks;
} clocks[] = {
    {0, 100, 0},
    {9999999, 100, 0},
    {10000000, 100, 1},
    {10000001, 100, 1},
    {999999999, 100, 99},
    {1000000000, 100, 100},
    {976562, 1024, 0}, /* 976562.5 ns */
    {976563, 1024, 1},
    {1999999999, 1, 1},
    {TOP, 1, 18446744073},
    {TOP, 1000000000, TOP},
    {1000000000000000000, 20000, 20000000000000}, /* 30 years */
};

START_TEST(ticks_follow_the_table)
{
    ck_assert_uint_eq(histogram_ticks(clocks[_i].clock, clocks[_i].hz), clocks[_i].ticks);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("model/histogram");
    tcase_add_test(tests, cells_follow_the_vectors);
    tcase_add_test(tests, regions_follow_the_vectors);
    UNIT_ADD_TABLE(tests, cells_at_the_ends_follow_the_table, cells);
    UNIT_ADD_TABLE(tests, cells_of_32_bit_programs_follow_the_table, compat);
    UNIT_ADD_TABLE(tests, regions_follow_the_table, places);
    UNIT_ADD_TABLE(tests, counters_follow_the_table, additions);
    UNIT_ADD_TABLE(tests, ticks_follow_the_table, clocks);
    return unit_end();
}
