/* SPDX-License-Identifier: MIT
 *
 * Results of profil, refused arguments, turning it off, and its counters. */
#include "calls.h"
#include "conformance.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/gmon.h>
#include <sys/gmon_out.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#define BELOW_TEXT 4096 /* with this offset, a small buffer covers no loop */

static void darwin_returns_einval(void)
{
    struct counts counts = {0};

    calls_profil_refused(&counts, sizeof counts, spin_base(), COUNTS_SCALE, EINVAL);
    calls_profil_refused(&counts, sizeof counts, spin_base(), 0, EINVAL);
    calls_profil_refused(NULL, 0, 0, 0, EINVAL);
    calls_check_off(&counts, LOOP_A, "after a call that was refused");
}

static void returns(void)
{
    struct counts counts;
    void *read_only = calls_pages(1, PROT_READ);

    calls_count(&counts);
    calls_off();
    if (is_in(IN_FREEBSD))
        calls_profil_refused(&counts, sizeof counts, spin_base(), 65537, EINVAL);
    if (is_in(SYSTEM_FREEBSD | SYSTEM_DARWIN_CLASSIC))
        calls_profil_refused(read_only, 64, BELOW_TEXT, 65536, EFAULT);
    else
        calls_profil(read_only, 64, BELOW_TEXT, 65536);
    if (!is_in(IN_BSD))
        calls_profil((void *)8, SIZE_MAX, BELOW_TEXT, UINT_MAX);
    calls_off();
}

static void freebsd_refuses_scales(void)
{
    struct counts counts, other = {0};

    calls_count(&counts);
    calls_profil_refused(&other, sizeof other, spin_base(), 65537, EINVAL);
    calls_profil_refused(&other, sizeof other, spin_base(), (unsigned)-1, EINVAL);
    calls_profil_refused(NULL, SIZE_MAX, 0, UINT_MAX / 2, EINVAL);
    calls_check_on(&counts, LOOP_A, "what was running before refused calls");
    CHECK(other.of[LOOP_A] == 0, "a refused call counts");
    calls_profil(&other, sizeof other, spin_base(), 65536);
}

static void darwin_refuses_all(void)
{
    struct counts counts;

    for (unsigned scale = 65536; scale; scale /= 2)
        calls_profil_refused(&counts, sizeof counts, spin_base(), scale, EINVAL);
}

static void others_refuse_no_arguments(void)
{
    struct counts counts = {0};

    calls_profil(&counts, sizeof counts, spin_base(), 65537);
    calls_profil(&counts, sizeof counts, spin_base(), UINT_MAX);
    calls_profil(&counts, 0, spin_base(), COUNTS_SCALE);
    calls_profil(&counts, 1, SIZE_MAX, COUNTS_SCALE);
    calls_count(&counts);
    calls_check_on(&counts, LOOP_A, "after strange calls");
}

/* Turns profil off with these arguments. The counts must stay. */
static void check_disabled_by(bool null_buffer, size_t size, unsigned scale)
{
    struct counts counts, kept;

    calls_count(&counts);
    calls_check_on(&counts, LOOP_A, "before it is turned off");
    calls_profil(null_buffer ? NULL : &counts, size, spin_base(), scale);
    kept = counts;
    calls_check_off(&counts, LOOP_A, "after it was turned off");
    CHECK(memcmp(&kept, &counts, sizeof counts) == 0, "the buffer has changed after it was turned off");
}

static void scale_disables(void)
{
    struct counts counts;

    check_disabled_by(false, sizeof counts, 0);
    check_disabled_by(true, 0, 0);
    if (is_in(SYSTEM_IRIX | SYSTEM_ILLUMOS))
        check_disabled_by(false, sizeof counts, 1);
    else {
        /* a counter covers 131072 bytes of text: the second one covers all the loops */
        counts = (struct counts){0};
        calls_profil(&counts, sizeof counts, spin_base() - 131072, 1);
        calls_check_on(&counts, LOOP_B, "with scale 1");
        calls_count(&counts);
        calls_check_on(&counts, LOOP_A, "before it is turned off");
        calls_profil((void *)8, 64, spin_base(), 0); /* scale 0 makes profil ignore the buffer */
        calls_check_off(&counts, LOOP_A, "after it was turned off with a bad buffer");
    }
    if (is_in(SYSTEM_IRIX))
        check_disabled_by(false, 0, COUNTS_SCALE);
}

static void null_disables(void)
{
    struct counts counts = {0};

    check_disabled_by(true, sizeof counts, COUNTS_SCALE);
    check_disabled_by(true, 0, 0);
    calls_profil(&counts, sizeof counts, spin_base(), 0);
    watch_spin("scale 0, bin 0", &counts.of[0], LOOP_B, 200);
}

static void a_call_replaces(void)
{
    struct counts first, second;
    uint16_t kept;

    calls_count(&first);
    calls_check_on(&first, LOOP_A, "the first call");
    spin(LOOP_A, 200); /* the second call must not count these ticks */
    calls_count(&second);
    kept = first.of[LOOP_A];
    watch_spin("the second call's buffer", &second.of[LOOP_A], LOOP_A, 200);
    CHECK(first.of[LOOP_A] == kept, "the first call's buffer still counts after the second");
}

static void counters_wrap(void)
{
    struct counts counts = {{[LOOP_A] = 65530}};

    calls_count_on(&counts);
    watch_spin("since 65530", &counts.of[LOOP_A], LOOP_A, 200);
    CHECK(counts.of[LOOP_A] < 65530, "a counter of 65530 is %u after 20 ticks: it has not wrapped", counts.of[LOOP_A]);
    calls_check_on(&counts, LOOP_B, "another counter, after one has wrapped");
    calls_check_on(&counts, LOOP_A, "a counter that has wrapped");
}

static void counters_stop(void)
{
    struct counts counts = {{[LOOP_A] = 32762, [LOOP_C] = 65535}};

    calls_count_on(&counts);
    calls_check_on(&counts, LOOP_C, "65535 and one is 0");
    CHECK(counts.of[LOOP_C] < 32768, "a counter of 65535 became %u", counts.of[LOOP_C]);
    spin(LOOP_A, 200);
    CHECK(counts.of[LOOP_A] >= 32762 && counts.of[LOOP_A] <= 32767, "a counter went from 32762 to %u",
          counts.of[LOOP_A]);
    calls_check_off(&counts, LOOP_A, "a counter that is full");
    calls_check_off(&counts, LOOP_B, "another counter, after one was full");
}

static void count_spin(unsigned milliseconds)
{
    struct counts counts;

    calls_count(&counts);
    watch_spin("a spin loop", &counts.of[LOOP_A], LOOP_A, milliseconds);
}

static void three_seconds(void)
{
    count_spin(3000);
}

static void half_a_second(void)
{
    count_spin(500);
}

static volatile sig_atomic_t own_ticks;

static void own_tick(int signal)
{
    (void)signal;
    own_ticks++;
}

/* The C library's profil uses ITIMER_PROF and SIGPROF. ptprofil leaves both to the program. */
static void timers_are_the_programs(void)
{
    struct itimerval every_20_ms = {{0, 20000}, {0, 20000}}, none = {0}, timer;
    struct sigaction action = {.sa_handler = own_tick}, seen;
    struct counts counts;

    calls_count(&counts);
    CHECK(getitimer(ITIMER_PROF, &timer) == 0 && !timer.it_interval.tv_sec && !timer.it_interval.tv_usec,
          "profil has set ITIMER_PROF");
    CHECK(sigaction(SIGPROF, &action, &seen) == 0 && seen.sa_handler == SIG_DFL, "profil has taken SIGPROF");
    CHECK(setitimer(ITIMER_PROF, &every_20_ms, NULL) == 0, "setitimer: %s", strerror(errno));
    calls_check_on(&counts, LOOP_A, "beside a timer of the program's own");
    spin(LOOP_A, 200);
    CHECK(setitimer(ITIMER_PROF, &none, NULL) == 0, "setitimer: %s", strerror(errno));
    CHECK_COUNT(own_ticks > 3, "the program's own timer fired %d times in 260 ms", (int)own_ticks);
}

/* Reads the clock rate and the number of ticks from gmon.out in the current directory. */
static void read_gmon(unsigned *rate, uint64_t *ticks)
{
    struct gmon_hdr header;
    struct gmon_hist_hdr histogram;
    int file = open("gmon.out", O_RDONLY | O_CLOEXEC);
    int32_t size;
    uint16_t bin;
    char tag;

    CHECK(file >= 0 && read(file, &header, sizeof header) == sizeof header && read(file, &tag, 1) == 1 &&
              read(file, &histogram, sizeof histogram) == sizeof histogram,
          "no gmon.out: %s", strerror(errno));
    memcpy(rate, histogram.prof_rate, sizeof *rate);
    memcpy(&size, histogram.hist_size, sizeof size);
    for (*ticks = 0; size > 0 && read(file, &bin, sizeof bin) == sizeof bin; size--)
        *ticks += bin;
    close(file);
    unlink("gmon.out");
}

/* Calls the profiler of `gcc -pg` directly. */
static void the_rate_is_in_the_file(void)
{
    char directory[] = "/tmp/ptprofil-conformance-XXXXXX";
    unsigned rate;
    uint64_t begin, end, ticks;

    CHECK(mkdtemp(directory) && chdir(directory) == 0, "no directory for gmon.out: %s", strerror(errno));
    unsetenv("GMON_OUT_PREFIX");
    begin = spin_clock();
    monstartup(spin_base(), spin_base() + calls_page_size());
    spin(LOOP_A, 200);
    end = spin_clock();
    _mcleanup();
    read_gmon(&rate, &ticks);
    rmdir(directory);
    CHECK(rate == spin_hz(), "gmon.out says %u Hz, not %u", rate, spin_hz());
    conformance_ticks("gmon.out", ticks, spin_ticks(begin, end), TICKS_EXACT);
}

const struct conformance_case cases_profil[] = {
    {"profil.return", SYSTEM_DARWIN, darwin_returns_einval, false, NULL},
    {"profil.return", IN_PROFIL, returns, true, NULL},
    {"profil.validation", IN_FREEBSD, freebsd_refuses_scales, false, NULL},
    {"profil.validation", SYSTEM_DARWIN, darwin_refuses_all, false, NULL},
    {"profil.validation", IN_PROFIL & ~IN_FREEBSD, others_refuse_no_arguments, true, NULL},
    {"profil.disable", IN_PROFIL & ~SYSTEM_LINUX, scale_disables, false, NULL},
    {"profil.disable", SYSTEM_LINUX, null_disables, true, NULL},
    {"profil.repeated", IN_PROFIL, a_call_replaces, true, NULL},
    {"profil.counter", IN_PROFIL & ~SYSTEM_ILLUMOS, counters_wrap, true, NULL},
    {"profil.counter", SYSTEM_ILLUMOS, counters_stop, false, NULL},
    {"profil.clock", SYSTEM_LINUX, three_seconds, true, "three seconds are 300 ticks"},
    {"profil.clock", SYSTEM_LINUX, timers_are_the_programs, false, "timers and signals are the program's own"},
    {"profil.clock", IN_FREEBSD | SYSTEM_IRIX, half_a_second, false, "half a second is 50 ticks"},
    {"profil.clock", IN_FREEBSD, the_rate_is_in_the_file, false, "gmon.out holds the rate"},
    {NULL, 0, NULL, false, NULL},
};
