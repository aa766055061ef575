/* SPDX-License-Identifier: MIT
 *
 * Which counter of profil a program counter falls into, if any. */
#include "calls.h"
#include "conformance.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NOWHERE (-1)
#define BYTES_AROUND (2u << 20) /* the whole buffer: the bytes beyond profil's size show writes outside */
#define ROW_MILLISECONDS 30
#define NOWHERE_MILLISECONDS 150 /* many ticks, compared with one or two outside of the loop */
#define ROW_LATE 15              /* tries of ROW_MILLISECONDS, as a tick may be late */
#define IN_PAGE (SYSTEM_FREEBSD | SYSTEM_DARWIN_CLASSIC)
#define IN_SVR4 (SYSTEM_IRIX | SYSTEM_ILLUMOS)

/* The counter of a loop that runs DISTANCE bytes after the offset. */
struct cell_row {
    unsigned systems;
    int64_t distance;
    unsigned scale;
    size_t size;
    int64_t cell; /* or NOWHERE */
};

static const struct cell_row index_rows[] = {
    {IN_PROFIL, 0, 0x10000, 64, 0},
    {IN_PROFIL, 4, 0x10000, 64, 2},
    {IN_PROFIL, 5, 0x10000, 64, 2},
    {IN_PROFIL, 62, 0x8000, 64, 15},
    {IN_PROFIL, 7, 0x6000, 64, 1},
    /* order of multiplication and rounding */
    {IN_PAGE | SYSTEM_LINUX, 3, 0xc000, 64, 0},
    {SYSTEM_FREEBSD_BUILT | IN_SVR4, 3, 0xc000, 64, 1},
    {IN_PROFIL, 0x12346, 0x1235, 16384, 2651},
    /* special scales */
    {IN_BSD | SYSTEM_LINUX, 0x20000, 2, 64, 2},
    {IN_SVR4, 0x20000, 2, 64, 0},
    {SYSTEM_LINUX, 0x20000, 0, 64, 0},
    {IN_BSD | SYSTEM_LINUX, 0x20000, 1, 64, 1},
    {IN_PROFIL & ~IN_FREEBSD, 4, 0x20000, 64, 4},
    {SYSTEM_LINUX, 4, 0xffffffff, 1 << 20, 131071},
    /* more than 32 bits */
    {IN_PROFIL, INT64_C(1) << 33, 3, 1 << 20, 196608},
};

static const struct cell_row counted_rows[] = {
    /* below the offset */
    {IN_PROFIL, -2, 0x10000, 64, NOWHERE},
    {IN_PROFIL, -64, 0x800, 64, NOWHERE},
    {IN_SVR4, -(INT64_C(1) << 62), 2, 64, NOWHERE},
    {SYSTEM_LINUX, -2, 0, 64, 0},
    /* the end of the buffer */
    {IN_PROFIL, 6, 0x10000, 8, 3},
    {IN_PROFIL, 6, 0x10000, 6, NOWHERE},
    {IN_PROFIL, 6, 0x10000, 0, NOWHERE},
    {IN_PAGE | SYSTEM_LINUX | SYSTEM_IRIX, 6, 0x10000, 7, NOWHERE},
    {SYSTEM_FREEBSD_BUILT | SYSTEM_ILLUMOS, 6, 0x10000, 7, 3},
    {SYSTEM_ILLUMOS, 6, 2, 0, 0},
    {SYSTEM_IRIX, 6, 2, 0, NOWHERE},
    {SYSTEM_IRIX, 6, 2, 2, 0},
    /* the byte's number as a signed number of 32 bits */
    {SYSTEM_FREEBSD_BUILT, (INT64_C(1) << 32) + 6, 0x10000, 64, 3},
    {SYSTEM_FREEBSD_BUILT, (INT64_C(1) << 31) + 6, 0x10000, 64, NOWHERE},
    {IN_PROFIL & ~SYSTEM_FREEBSD_BUILT, (INT64_C(1) << 32) + 6, 0x10000, 64, NOWHERE},
};

static void check_row(const struct cell_row *row, uint16_t *bins, unsigned number)
{
    uint64_t ticks = 0, elsewhere = 0, begin, end;

    memset(bins, 0, BYTES_AROUND);
    begin = spin_clock();
    calls_profil(bins, row->size, spin_pc(LOOP_A) - (uintptr_t)row->distance, row->scale);
    spin(LOOP_A, row->cell == NOWHERE ? NOWHERE_MILLISECONDS : ROW_MILLISECONDS);
    for (int late = 0; late < ROW_LATE && row->cell != NOWHERE && !bins[row->cell]; late++)
        spin(LOOP_A, ROW_MILLISECONDS);
    calls_off();
    end = spin_clock();
    for (size_t i = 0; i < BYTES_AROUND / sizeof *bins; i++)
        *((int64_t)i == row->cell ? &ticks : &elsewhere) += bins[i];
    /* code around the loop may get one tick */
    if (elsewhere > 1)
        conformance_end(OUTCOME_OFF_COUNT, "row %u: distance %#llx, scale %#x, size %zu: %llu ticks in other counters",
                        number, (unsigned long long)row->distance, row->scale, row->size,
                        (unsigned long long)elsewhere);
    if (row->cell != NOWHERE)
        CHECK_COUNT(ticks > 0, "row %u: distance %#llx, scale %#x, size %zu: counter %lld has nothing", number,
                    (unsigned long long)row->distance, row->scale, row->size, (long long)row->cell);
    CHECK(ticks <= spin_ticks(begin, end) + (conformance_oracle ? 2 : 0), "row %u: more ticks than there were", number);
}

/* False if the address space ends before DISTANCE, as in a program that is not position-independent (below the loop) or
 * a 32-bit program (above it). */
static bool is_there(int64_t distance)
{
    if (distance < 0)
        return -(uint64_t)distance <= UINTPTR_MAX - spin_pc(LOOP_A);
    return (uint64_t)distance < spin_base();
}

static void check_rows(const struct cell_row *rows, size_t count)
{
    uint16_t *bins = calls_pages(BYTES_AROUND / calls_page_size(), PROT_READ | PROT_WRITE);

    for (size_t i = 0; i < count; i++)
        if (is_in(rows[i].systems) && is_there(rows[i].distance))
            check_row(&rows[i], bins, (unsigned)i);
}

static void follow_the_formula(void)
{
    check_rows(index_rows, sizeof index_rows / sizeof *index_rows);
}

/* The scale has 32 bits. profil must ignore the upper half of the register. */
static void scale_is_of_32_bits(void)
{
    struct counts counts = {0};
#if defined __x86_64__ && defined __LP64__
    int (*function)(unsigned short *, size_t, size_t, unsigned) = profil;
    size_t size = sizeof counts, offset = spin_base();
    uint64_t scale = UINT64_C(0xabcdef0100000000) | COUNTS_SCALE;
    void *buffer = &counts;
    long result;
    __asm__ volatile("mov %%rsp, %%r12\n    sub $128, %%rsp\n    and $-16, %%rsp\n    call *%1\n    mov %%r12, %%rsp"
                     : "=a"(result), "+r"(function), "+D"(buffer), "+S"(size), "+d"(offset), "+c"(scale)
                     :
                     : "r8", "r9", "r10", "r11", "r12", "memory", "cc");
    CHECK((int)result == 0, "profil returned %ld", result);
#else
    calls_count(&counts);
#endif
    calls_check_on(&counts, LOOP_A, "with more in the register");
    calls_off();
}

static void counted_as_said(void)
{
    check_rows(counted_rows, sizeof counted_rows / sizeof *counted_rows);
}

static void darwin_counts_nothing(void)
{
    struct counts counts = {0};

    for (int i = 0; i < 3; i++) {
        profil(counts.of, sizeof counts, spin_base(), COUNTS_SCALE);
        calls_check_off(&counts, LOOP_A, "after profil");
    }
}

/* Spends three quarters of the time in loop A and one quarter in B. */
static void two_loops(void)
{
    struct counts counts;
    struct watch both;
    uint64_t ticks;

    calls_count(&counts);
    both = watch_begin("two loops", &counts.of[LOOP_A], 2);
    for (int i = 0; i < 10; i++) { /* 44 ms, not a multiple of the tick: ticks fall into both loops */
        spin(LOOP_A, 33);
        spin(LOOP_B, 11);
    }
    ticks = watch_end(&both, LOOP_A, TICKS_EXACT);
    /* chance decides which loop gets a tick */
    conformance_ticks("one loop of two", counts.of[LOOP_A], ticks * 3 / 4, ticks / 8);
}

/* Counts a loop of system calls with one counter for every two bytes. */
static void after_the_call(void)
{
    uint16_t bins[SPIN_STRIDE / 2] = {0};
    struct watch whole = watch_begin("a loop of system calls", bins, sizeof bins / sizeof *bins);
    uint64_t ticks;

    calls_profil(bins, sizeof bins, spin_pc(LOOP_CALLS) - SPIN_AT, 0x10000);
    spin(LOOP_CALLS, 300);
    ticks = watch_end(&whole, LOOP_CALLS, TICKS_EXACT);
    conformance_ticks("the instruction after the call", bins[SPIN_AT / 2], ticks, TICKS_EXACT);
}

const struct conformance_case cases_cells[] = {
    {"profil.index", IN_PROFIL, follow_the_formula, true, NULL},
    {"profil.index", IN_PROFIL, scale_is_of_32_bits, true, "scale has 32 bits"},
    {"profil.counted", IN_PROFIL, counted_as_said, true, NULL},
    {"profil.counted", SYSTEM_DARWIN, darwin_counts_nothing, false, NULL},
    {"profil.counted", IN_PROFIL, two_loops, true, "two loops share as their time does"},
    {"profil.counted", IN_PROFIL, after_the_call, true, "system time is the next instruction's"},
    {NULL, 0, NULL, false, NULL},
};
