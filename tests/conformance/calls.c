/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include "conformance.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNTOUCHED 12345      /* an errno that the calls never set */
#define LOOK_MILLISECONDS 20 /* of CPU time: two ticks */
#define OFF_MILLISECONDS 50

static void check_taken(const char *call, int result)
{
    CHECK(result == 0, "%s returned %d, not 0: %s", call, result, strerror(errno));
    CHECK(errno == UNTOUCHED, "%s succeeded and set errno to %d", call, errno);
}

static void check_refused(const char *call, int result, int error)
{
    CHECK(result == -1, "%s returned %d, not -1", call, result);
    CHECK(errno == error, "%s failed with errno %d (%s), not %d", call, errno, strerror(errno), error);
}

void calls_profil(void *buffer, size_t size, size_t offset, unsigned scale)
{
    errno = UNTOUCHED;
    check_taken("profil", profil(buffer, size, offset, scale));
}

void calls_profil_refused(void *buffer, size_t size, size_t offset, unsigned scale, int error)
{
    errno = UNTOUCHED;
    check_refused("profil", profil(buffer, size, offset, scale), error);
}

void calls_count_on(struct counts *counts)
{
    calls_profil(counts, sizeof *counts, spin_base(), COUNTS_SCALE);
}

void calls_count(struct counts *counts)
{
    memset(counts, 0, sizeof *counts);
    calls_count_on(counts);
}

void calls_off(void)
{
    calls_profil(NULL, 0, 0, 0);
}

static uint16_t sum(const struct watch *watch)
{
    uint16_t ticks = 0;

    for (size_t i = 0; i < watch->count; i++)
        ticks = (uint16_t)(ticks + watch->counters[i]);
    return ticks;
}

struct watch watch_begin(const char *what, const uint16_t *counters, size_t count)
{
    struct watch watch = {.what = what, .counters = counters, .count = count, .clock = spin_clock()};

    watch.before = sum(&watch);
    return watch;
}

uint64_t watch_end(const struct watch *watch, enum spin_loop loop, uint64_t tolerance)
{
    uint64_t seen, expected;
    unsigned waited = 0;

    do {
        seen = (uint16_t)(sum(watch) - watch->before);
        expected = spin_ticks(watch->clock, spin_clock());
    } while (spin_for_late(loop, seen, expected, tolerance, &waited));
    conformance_ticks(watch->what, seen, expected, tolerance);
    return seen;
}

void watch_spin(const char *what, const uint16_t *counter, enum spin_loop loop, unsigned milliseconds)
{
    struct watch watch = watch_begin(what, counter, 1);

    spin(loop, milliseconds);
    watch_end(&watch, loop, TICKS_EXACT);
}

void calls_check_on(struct counts *counts, enum spin_loop loop, const char *when)
{
    uint16_t before = counts->of[loop];

    for (unsigned waited = 0; counts->of[loop] == before; waited += LOOK_MILLISECONDS) {
        CHECK_COUNT(waited < SPIN_LATEST, "%s: nothing is counted", when);
        spin(loop, LOOK_MILLISECONDS);
    }
}

void calls_check_off(struct counts *counts, enum spin_loop loop, const char *when)
{
    uint16_t before = counts->of[loop];

    spin(loop, OFF_MILLISECONDS);
    CHECK_COUNT(counts->of[loop] == before, "%s: %u ticks are counted", when, (uint16_t)(counts->of[loop] - before));
}

void calls_sprofil(struct prof *regions, int count, unsigned flags)
{
    errno = UNTOUCHED;
    check_taken("sprofil", sprofil(regions, count, NULL, flags));
}

void calls_sprofil_refused(struct prof *regions, int count, struct timeval *interval, unsigned flags, int error)
{
    errno = UNTOUCHED;
    check_refused("sprofil", sprofil(regions, count, interval, flags), error);
}

size_t calls_page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *calls_pages(size_t count, int protection)
{
    size_t size = count * calls_page_size();
    char *pages = mmap(NULL, size + calls_page_size(), protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    CHECK(pages != MAP_FAILED && munmap(pages + size, calls_page_size()) == 0, "no memory: %s", strerror(errno));
    return pages;
}

void calls_protect(void *page, int protection)
{
    CHECK(mprotect(page, calls_page_size(), protection) == 0, "mprotect: %s", strerror(errno));
}
