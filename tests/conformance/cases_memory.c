/* SPDX-License-Identifier: MIT
 *
 * Buffers that the process cannot write: from the start, or later. */
#include "calls.h"
#include "conformance.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define IN_REFUSED (SYSTEM_FREEBSD | SYSTEM_DARWIN_CLASSIC) /* profil checks the buffer */

/* The first tick that cannot write turns profil off. The call does not. */
static void off_at_the_tick(void)
{
    struct counts *page = calls_pages(1, PROT_READ);

    calls_count_on(page);
    calls_protect(page, PROT_READ | PROT_WRITE);
    calls_check_on(page, LOOP_A, "made writable before any tick would write");
    calls_protect(page, PROT_READ);
    calls_count_on(page);
    spin(LOOP_B, 100);
    calls_protect(page, PROT_READ | PROT_WRITE);
    CHECK(page->of[LOOP_B] == 0, "written where the process could not");
    calls_check_off(page, LOOP_B, "made writable after a tick could not write");
    calls_profil((void *)(UINTPTR_MAX - 15), 1024, spin_base(), COUNTS_SCALE);
    spin(LOOP_B, 100);
}

/* A refused buffer turns the profil before it off. */
static void check_refused(void *buffer, size_t size, const char *what)
{
    struct counts counts;

    calls_count(&counts);
    calls_check_on(&counts, LOOP_A, "before a bad buffer");
    calls_profil_refused(buffer, size, spin_base(), COUNTS_SCALE, EFAULT);
    calls_check_off(&counts, LOOP_A, what);
}

static void refused_and_off(void)
{
    char *page = calls_pages(1, PROT_READ), *behind = page + calls_page_size();
    char *two = calls_pages(2, PROT_READ | PROT_WRITE);
    struct counts *counts;

    check_refused(page, sizeof *counts, "after a read-only buffer");
    check_refused(behind, 2, "after a buffer that is not mapped");
    check_refused((void *)(UINTPTR_MAX - 15), 1024, "after a buffer that wraps");
    calls_protect(page, PROT_READ | PROT_WRITE);
    check_refused(behind - 64, 65, "after a buffer with one byte that is not mapped");
    check_refused(behind, 2, "after a buffer right behind memory that can be written");
    calls_protect(two, PROT_READ);
    check_refused(two, 2 * calls_page_size(), "after a buffer that begins on a read-only page");
    calls_profil(behind, 0, spin_base(), COUNTS_SCALE); /* an empty buffer is never bad */
    calls_profil((void *)8, 0, spin_base(), COUNTS_SCALE);
    counts = (struct counts *)(void *)(behind - sizeof *counts);
    calls_count(counts);
    calls_check_on(counts, LOOP_CALLS, "the last counter before the end of memory");
}

/* Maps two pages of a file that has one. */
static void a_file_that_ends(void)
{
    static const int kinds[] = {MAP_SHARED, MAP_PRIVATE};
    size_t page = calls_page_size();
    int file = memfd_create("short", 0);

    CHECK(file >= 0 && ftruncate(file, (off_t)page) == 0, "no file: %s", strerror(errno));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, kinds[i], file, 0);
        CHECK(pages != MAP_FAILED, "mmap: %s", strerror(errno));
        check_refused(pages + page, 64, "after a buffer beyond the end of a file");
        check_refused(pages + page - 64, 65, "after a buffer that begins before the end of a file");
        calls_count((struct counts *)(void *)pages);
        calls_check_on((struct counts *)(void *)pages, LOOP_A, "a buffer before the end of a file");
        CHECK(ftruncate(file, 2 * (off_t)page) == 0, "ftruncate: %s", strerror(errno));
        calls_count((struct counts *)(void *)(pages + page));
        calls_check_on((struct counts *)(void *)(pages + page), LOOP_B, "the file's second page");
        calls_off();
        CHECK(ftruncate(file, (off_t)page) == 0, "ftruncate: %s", strerror(errno));
    }
}

/* The processor makes writable memory readable, too. */
static void mapped_for_writing_alone(void)
{
    struct counts *page = calls_pages(1, PROT_WRITE);

    calls_count(page);
    watch_spin("a page that was never touched", &page->of[LOOP_A], LOOP_A, 150);
    watch_spin("another counter of it", &page->of[LOOP_B], LOOP_B, 150);
    calls_off();
}

/* One byte of the counter is on a page that becomes read-only. The other byte must not change. */
static void a_torn_counter(void)
{
    char *pages = calls_pages(2, PROT_READ | PROT_WRITE), *second = pages + calls_page_size();
    unsigned char *low = (unsigned char *)second - 1;

    *low = 0x5a;
    calls_profil(low, sizeof(uint16_t), spin_base(), COUNTS_SCALE);
    calls_protect(second, PROT_READ);
    spin(LOOP_A, 150);
    calls_protect(second, PROT_READ | PROT_WRITE);
    CHECK(*low == 0x5a && !*second, "half of a counter was written: %#x, %#x", *low, (unsigned char)*second);
    spin(LOOP_A, 50);
    CHECK_COUNT(*low == 0x5a && !*second, "after a fault: something is counted");
}

/* The counter of A is the last one on a page. The counter of B is on the next page, which is not mapped. */
static void ends_at_a_page(void)
{
    char *page = calls_pages(1, PROT_READ | PROT_WRITE), *end = page + calls_page_size();
    struct counts *counts = (struct counts *)(void *)(end - sizeof(uint16_t));

    calls_profil(counts, sizeof *counts, spin_base(), COUNTS_SCALE);
    calls_check_on(counts, LOOP_A, "the last counter before the end of memory");
    spin(LOOP_B, 100);
    calls_check_off(counts, LOOP_A, "after a tick that would write beyond it");
}

/* The counter of A is on a read-only page. The counter of B is the first on a writable page. */
static void begins_on_a_read_only_page(void)
{
    char *pages = calls_pages(2, PROT_READ | PROT_WRITE), *second = pages + calls_page_size();
    struct counts *counts = (struct counts *)(void *)(second - sizeof(uint16_t));

    calls_protect(pages, PROT_READ);
    calls_profil(counts, sizeof *counts, spin_base(), COUNTS_SCALE);
    calls_check_on(counts, LOOP_B, "the first counter that can be written");
    spin(LOOP_A, 100);
    CHECK(counts->of[LOOP_A] == 0, "written where the process could not");
    calls_check_off(counts, LOOP_B, "after a tick that would write before it");
}

static void a_fault_turns_off(void)
{
    struct counts *page = calls_pages(1, PROT_READ | PROT_WRITE);
    uint16_t kept;

    calls_count_on(page);
    calls_check_on(page, LOOP_A, "before the page becomes read-only");
    calls_protect(page, PROT_READ);
    kept = page->of[LOOP_A];
    spin(LOOP_A, 100);
    calls_protect(page, PROT_READ | PROT_WRITE);
    CHECK(page->of[LOOP_A] == kept, "written where the process could not");
    calls_check_off(page, LOOP_A, "after a fault");
    calls_check_off(page, LOOP_B, "after a fault, another counter");
    calls_count_on(page);
    calls_check_on(page, LOOP_B, "turned on again after a fault");
}

static void a_fault_where_nothing_is_mapped(void)
{
    struct counts *page = calls_pages(1, PROT_READ | PROT_WRITE);

    calls_count_on(page);
    calls_check_on(page, LOOP_A, "before the page goes");
    CHECK(munmap(page, calls_page_size()) == 0, "munmap: %s", strerror(errno));
    spin(LOOP_A, 100);
    CHECK(mmap(page, calls_page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page,
          "mmap: %s", strerror(errno));
    calls_check_off(page, LOOP_A, "after the page went and came");
}

const struct conformance_case cases_memory[] = {
    {"profil.bad-buffer", IN_REFUSED, refused_and_off, false, NULL},
    {"profil.bad-buffer", IN_REFUSED, a_file_that_ends, false, "a file that ends"},
    {"profil.bad-buffer", IN_PROFIL & ~IN_REFUSED, off_at_the_tick, false, NULL},
    {"profil.bad-buffer", IN_PROFIL & ~IN_REFUSED, ends_at_a_page, false, "it ends where memory ends"},
    {"profil.bad-buffer", IN_PROFIL & ~IN_REFUSED, begins_on_a_read_only_page, false, "it begins on a read-only page"},
    {"profil.bad-buffer", IN_PROFIL, mapped_for_writing_alone, true, "none: it is mapped for writing alone"},
    {"profil.fault", IN_PROFIL, a_torn_counter, false, "half of a counter"},
    {"profil.fault", IN_PROFIL, a_fault_turns_off, false, "a page becomes read-only"},
    {"profil.fault", IN_PROFIL, a_fault_where_nothing_is_mapped, false, "a page goes"},
    {NULL, 0, NULL, false, NULL},
};
