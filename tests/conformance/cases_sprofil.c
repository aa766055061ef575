/* SPDX-License-Identifier: MIT
 *
 * Regions and cells of sprofil: which cell counts a tick, and how cells overflow. */
#include "calls.h"
#include "conformance.h"

#include <string.h>
#include <sys/mman.h>

#define NOWHERE (-1)
#define CELLS_BYTES ((size_t)1 << 20)
#define NOWHERE_MILLISECONDS 150 /* many ticks, compared with one or two outside of the loop */

/* Returns a region that counts one loop into one cell of WIDTH bytes. */
static struct prof one_loop(void *cell, size_t width, enum spin_loop loop)
{
    return (struct prof){cell, width, spin_base() + (size_t)loop * SPIN_STRIDE, COUNTS_SCALE / 2 * width};
}

/* watch_spin() watches 16 bits: the lower half of a cell. */
static const uint16_t *low_half(const uint32_t *cell)
{
    return (const uint16_t *)(const void *)cell;
}

static struct prof overflow_into(void *cell)
{
    return (struct prof){cell, sizeof(uint32_t), 0, 2};
}

static void off(void)
{
    calls_sprofil(NULL, 0, 0);
}

static void each_region_counts(void)
{
    uint16_t cells[SPIN_LOOPS] = {0};
    struct prof regions[4];

    for (int loop = LOOP_A; loop <= LOOP_D; loop++)
        regions[loop] = one_loop(&cells[loop], sizeof *cells, (enum spin_loop)loop);
    regions[LOOP_C].pr_scale = 0;
    regions[LOOP_D].pr_scale = 1;
    calls_sprofil(regions, 4, PROF_USHORT);
    watch_spin("the first region", &cells[LOOP_A], LOOP_A, 100);
    watch_spin("the second region", &cells[LOOP_B], LOOP_B, 100);
    spin(LOOP_C, 50);
    spin(LOOP_D, 50);
    CHECK(!cells[LOOP_C] && !cells[LOOP_D], "a region of scale 0 or 1 counts");
    off();
}

static void two_regions(void)
{
    struct counts counts = {0};
    uint16_t other = 0;
    struct prof regions[] = {{counts.of, 2 * sizeof(uint16_t), spin_base(), COUNTS_SCALE},
                             one_loop(&other, sizeof other, LOOP_C)};

    calls_sprofil(regions, 2, PROF_USHORT);
    watch_spin("the first region", &counts.of[LOOP_B], LOOP_B, 200);
    watch_spin("the second region", &other, LOOP_C, 200);
    off();
}

/* Carries between cells show their width. FLAGS are added to the flag of the width. */
static void check_widths(unsigned flags)
{
    uint32_t wide[2] = {0xffff, 0};
    uint16_t compat[4] = {0};
    struct prof region = one_loop(wide, sizeof *wide, LOOP_A);

    calls_sprofil(&region, 1, PROF_UINT | flags);
    watch_spin("a cell of 32 bits", low_half(wide), LOOP_A, 150);
    CHECK(wide[0] > 0xffff, "a cell of 32 bits went from 0xffff to %#x", wide[0]);
    off();
    region = (struct prof){compat, sizeof compat, spin_base() - 2 * SPIN_STRIDE, COUNTS_SCALE};
    calls_sprofil(&region, 1, PROF_USHORT | flags);
    watch_spin("a cell of 16 bits", &compat[3], LOOP_B, 150);
    CHECK(!compat[0] && !compat[1] && compat[2] <= 1, "other cells of 16 bits count");
    off();
}

static void fast_changes_nothing(void)
{
    check_widths(PROF_FAST);
}

static void cells_are_wide(void)
{
    check_widths(0);
}

/* The cell that counts a loop DISTANCE bytes after the start of its region. */
struct region_row {
    unsigned systems, width;
    uint64_t distance;
    unsigned long scale;
    size_t size;
    int64_t cell; /* or NOWHERE */
};

static const struct region_row region_rows[] = {
    {IN_SPROFIL, 2, 5, 0x10000, 64, 2},      {IN_SPROFIL, 4, 9, 0x10000, 64, 2},
    {SYSTEM_LINUX, 2, 3, 0xc000, 64, 0},     {SYSTEM_IRIX, 2, 3, 0xc000, 64, 1},
    {SYSTEM_LINUX, 4, 7, 0xc000, 64, 0},     {SYSTEM_IRIX, 4, 7, 0xc000, 64, 1},
    {IN_SPROFIL, 4, 8, 0x20000, 64, 4},      {SYSTEM_LINUX, 2, 0x20000, 2, 64, 2},
    {SYSTEM_LINUX, 4, 0x20000, 2, 64, 1},    {SYSTEM_IRIX, 2, 0x20000, 2, 64, 0},
    {SYSTEM_IRIX, 4, 0x20000, 2, 64, 0},     {IN_SPROFIL, 4, UINT64_C(1) << 33, 3, CELLS_BYTES, 98304},
    {IN_SPROFIL, 4, 8, 0x10000, 12, 2},      {IN_SPROFIL, 4, 8, 0x10000, 11, NOWHERE},
    {IN_SPROFIL, 2, 8, 0x10000, 8, NOWHERE},
};

/* Returns the ticks in cell CELL. Sets *ELSEWHERE to the ticks in other cells. */
static uint64_t count_cells(const void *cells, unsigned width, int64_t cell, uint64_t *elsewhere)
{
    uint64_t there = 0;

    *elsewhere = 0;
    for (size_t i = 0; i < CELLS_BYTES / width; i++) {
        uint64_t ticks = width == 2 ? ((const uint16_t *)cells)[i] : ((const uint32_t *)cells)[i];
        *((int64_t)i == cell ? &there : elsewhere) += ticks;
    }
    return there;
}

static void follow_the_formula(void)
{
    char *cells = calls_pages(CELLS_BYTES / calls_page_size(), PROT_READ | PROT_WRITE);

    for (size_t i = 0; i < sizeof region_rows / sizeof *region_rows; i++) {
        const struct region_row *row = &region_rows[i];
        struct prof region = {cells, row->size, spin_pc(LOOP_A) - (uintptr_t)row->distance, row->scale};
        uint64_t there = 0, elsewhere = 0;

        if (!is_in(row->systems) || row->distance > spin_base())
            continue; /* a program that is not position-independent has no room below the loop */
        memset(cells, 0, CELLS_BYTES);
        calls_sprofil(&region, 1, row->width == 4 ? PROF_UINT : PROF_USHORT);
        for (int tries = 0; tries < 15 && !there && (tries == 0 || row->cell != NOWHERE); tries++) {
            spin(LOOP_A, row->cell == NOWHERE ? NOWHERE_MILLISECONDS : 30);
            there = count_cells(cells, row->width, row->cell, &elsewhere);
        }
        off();
        CHECK_COUNT(elsewhere <= 1, "row %zu: %lu ticks in other cells", i, (unsigned long)elsewhere);
        CHECK_COUNT(row->cell == NOWHERE || there > 0, "row %zu: cell %ld has nothing", i, (long)row->cell);
    }
}

static void overflow_takes_the_rest(void)
{
    uint32_t cells[3] = {0};
    struct prof regions[] = {one_loop(&cells[0], sizeof *cells, LOOP_A), one_loop(&cells[1], sizeof *cells, LOOP_B),
                             overflow_into(&cells[2])};

    calls_sprofil(regions, 3, PROF_UINT);
    watch_spin("a region", low_half(&cells[0]), LOOP_A, 150);
    watch_spin("the overflow cell", low_half(&cells[2]), LOOP_C, 150);
    off();
}

static void overflow_needs_a_cell(void)
{
    uint16_t cells[2] = {0};
    struct prof regions[] = {one_loop(&cells[0], sizeof *cells, LOOP_A), overflow_into((void *)&cells[1])};

    regions[1].pr_size = 1;
    calls_sprofil(regions, 2, PROF_USHORT);
    watch_spin("a region", &cells[0], LOOP_A, 100);
    spin(LOOP_C, 100);
    off();
    CHECK(cells[1] == 0, "an overflow region smaller than a cell counts %u", cells[1]);
}

/* The C library's own sprofil counts far more ticks than its interval says: with it, any ticks in CELL are enough. */
static void check_region(const char *what, const uint16_t *cell, enum spin_loop loop)
{
    if (!conformance_oracle) {
        watch_spin(what, cell, loop, 150);
        return;
    }
    spin(loop, 150);
    CHECK_COUNT(*(const volatile uint16_t *)cell > 0, "%s: nothing is counted", what);
}

/* The overflow region works anywhere in the list. The first of two is used. */
static void overflow_comes_first(void)
{
    uint32_t cells[3] = {0};
    struct prof regions[] = {overflow_into(&cells[2]), one_loop(&cells[0], sizeof *cells, LOOP_A),
                             overflow_into(&cells[1])};

    calls_sprofil(regions, 3, PROF_UINT);
    check_region("a region behind the overflow region", low_half(&cells[0]), LOOP_A);
    check_region("the overflow region, first in the list", low_half(&cells[2]), LOOP_C);
    CHECK(!cells[1], "the second of two overflow regions counts");
    off();
}

/* An overflow region with many cells counts low addresses in all of them, and others in the first. */
static void overflow_is_a_region(void)
{
    uint16_t *cells = calls_pages(CELLS_BYTES / calls_page_size(), PROT_READ | PROT_WRITE);
    size_t cell = spin_base() >> 16, last = CELLS_BYTES / sizeof *cells - 1;
    struct prof region = {cells, CELLS_BYTES, 0, 2};

    calls_sprofil(&region, 1, PROF_USHORT);
    check_region("the cell of the loop, or the first", &cells[cell > last ? 0 : cell], LOOP_A);
    off();
}

/* The inner region covers the second loop of the outer one. The outer region counts before and after it. */
static void the_highest_offset_decides(void)
{
    struct counts all = {0};
    uint16_t inner = 0;
    struct prof regions[] = {{all.of, sizeof all, spin_base(), COUNTS_SCALE}, one_loop(&inner, sizeof inner, LOOP_B)};

    calls_sprofil(regions, 2, PROF_USHORT);
    watch_spin("the inner region", &inner, LOOP_B, 100);
    watch_spin("the outer region, behind the inner one", &all.of[LOOP_C], LOOP_C, 100);
    watch_spin("the outer region, before the inner one", &all.of[LOOP_A], LOOP_A, 100);
    CHECK(all.of[LOOP_B] == 0, "the outer region counts what the inner one does");
    off();
}

static void the_first_of_two_decides(void)
{
    uint16_t first = 0, second = 0;
    struct prof regions[] = {one_loop(&first, sizeof first, LOOP_B), one_loop(&second, sizeof second, LOOP_B)};

    calls_sprofil(regions, 2, PROF_USHORT);
    watch_spin("the first of two regions", &first, LOOP_B, 100);
    CHECK(second == 0, "the second of two regions counts");
    off();
}

static void cells_at_their_end(void)
{
    uint16_t compat[2] = {65530, 0};
    uint32_t wide[2] = {0xfffffffa, 0};
    struct prof compat_region = one_loop(compat, sizeof *compat, LOOP_A);
    struct prof wide_region = one_loop(wide, sizeof *wide, LOOP_A);

    calls_sprofil(&compat_region, 1, PROF_USHORT);
    spin(LOOP_A, 200);
    off();
    calls_sprofil(&wide_region, 1, PROF_UINT);
    spin(LOOP_A, 200);
    off();
    CHECK_COUNT(is_in(SYSTEM_LINUX) ? compat[0] == 65535 : compat[0] < 1000, "65530 became %u after 20 ticks",
                compat[0]);
    CHECK_COUNT(is_in(SYSTEM_LINUX) ? wide[0] == UINT32_MAX : wide[0] < 1000, "0xfffffffa became %#x after 20 ticks",
                wide[0]);
    CHECK(!compat[1] && !wide[1], "a cell has carried over");
}

const struct conformance_case cases_sprofil[] = {
    {"sprofil.header", IN_SPROFIL, fast_changes_nothing, false, NULL},
    {"sprofil.regions", IN_SPROFIL, each_region_counts, false, NULL},
    {"sprofil.regions", IN_SPROFIL, two_regions, false, "with counters for two loops and for one"},
    {"sprofil.cells", IN_SPROFIL, cells_are_wide, false, NULL},
    {"sprofil.index", IN_SPROFIL, follow_the_formula, false, NULL},
    {"sprofil.overflow", IN_SPROFIL, overflow_takes_the_rest, false, NULL},
    {"sprofil.overflow", IN_SPROFIL, overflow_needs_a_cell, false, "smaller than a cell"},
    {"sprofil.overflow", SYSTEM_LINUX, overflow_comes_first, true, "first in the list"},
    /* the C library's own fails an assertion in a 32-bit program */
    {"sprofil.overflow", SYSTEM_LINUX, overflow_is_a_region, sizeof(long) == 8, "a region itself"},
    {"sprofil.overlap", IN_SPROFIL, the_highest_offset_decides, false, "the highest offset"},
    {"sprofil.overlap", IN_SPROFIL, the_first_of_two_decides, false, "two at one offset"},
    {"sprofil.counter", IN_SPROFIL, cells_at_their_end, false, NULL},
    {NULL, 0, NULL, false, NULL},
};
