/* SPDX-License-Identifier: MIT */
#include "samples.h"

#include "conformance.h"

#include <errno.h>
#include <pcsample.h>
#include <string.h>

#define UNTOUCHED 12345 /* an errno that the call never sets */

long samples_call(uintptr_t *samples, long count)
{
    long result;

    errno = UNTOUCHED;
    result = pcsample(samples, count);
    CHECK(result >= 0, "pcsample returned %ld: %s", result, strerror(errno));
    CHECK(errno == UNTOUCHED, "pcsample succeeded and set errno to %d", errno);
    return result;
}

void samples_refused(uintptr_t *samples, long count, int error)
{
    long result;

    errno = UNTOUCHED;
    result = pcsample(samples, count);
    CHECK(result == -1 && errno == error, "pcsample returned %ld with errno %d, not -1 with %d", result, errno, error);
}

/* Volatile, since ptprofil writes the samples from outside of the program. */
static uintptr_t element(const uintptr_t *samples, size_t index)
{
    return ((const volatile uintptr_t *)samples)[index];
}

size_t samples_stored(const uintptr_t *samples, size_t count)
{
    size_t stored = 0;

    while (stored < count && element(samples, stored))
        stored++;
    return stored;
}

void samples_spin(const uintptr_t *samples, size_t first, enum spin_loop loop, unsigned milliseconds)
{
    uint64_t begin = spin_clock(), expected, seen;
    unsigned waited = 0;

    spin(loop, milliseconds);
    do {
        expected = spin_ticks(begin, spin_clock());
        seen = samples_stored(samples + first, (size_t)expected + TICKS_EXACT + 1);
    } while (spin_for_late(loop, seen, expected, TICKS_EXACT, &waited));
    conformance_ticks("samples of a loop", seen, expected, TICKS_EXACT);
}

void samples_check_on(const uintptr_t *samples, size_t count, const char *when)
{
    size_t before = samples_stored(samples, count);

    for (unsigned waited = 0; samples_stored(samples, count) == before; waited++) {
        CHECK_COUNT(waited < SPIN_LATEST, "%s: nothing is sampled", when);
        spin(LOOP_D, 1);
    }
}

void samples_check_off(const uintptr_t *samples, size_t count, const char *when)
{
    size_t before = samples_stored(samples, count);

    spin(LOOP_D, 50);
    CHECK_COUNT(samples_stored(samples, count) == before, "%s: the program is sampled", when);
}

size_t samples_of(const uintptr_t *samples, size_t count, enum spin_loop loop)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += element(samples, i) == spin_pc(loop);
    return found;
}
