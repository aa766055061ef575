/* SPDX-License-Identifier: MIT
 *
 * Results of sprofil, turning it on and off, and sprofil in children and after exec. */
#include "calls.h"
#include "conformance.h"
#include "image.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>

#define WITHOUT_SPROFIL (IN_ALL & ~IN_SPROFIL)

static struct prof all_loops(struct counts *counts)
{
    return (struct prof){counts->of, sizeof *counts, spin_base(), COUNTS_SCALE};
}

static void turn_on(struct counts *counts)
{
    struct prof region = all_loops(counts);

    *counts = (struct counts){0};
    calls_sprofil(&region, 1, PROF_USHORT);
}

static void off(void)
{
    calls_sprofil(NULL, 0, 0);
}

static void there_is_none(void)
{
    struct counts counts = {0};
    struct prof region = all_loops(&counts);
    struct timeval interval = {77, 77};

    calls_sprofil_refused(&region, 1, &interval, PROF_USHORT, ENOSYS);
    calls_sprofil_refused(NULL, -1, (struct timeval *)8, 77, ENOSYS);
    CHECK(interval.tv_sec == 77 && interval.tv_usec == 77, "tvp was written");
    calls_check_off(&counts, LOOP_A, "after sprofil was refused");
    if (is_in(SYSTEM_DARWIN))
        return;
    calls_count(&counts);
    calls_sprofil_refused(&region, 0, NULL, 0, ENOSYS);
    calls_check_on(&counts, LOOP_B, "profil, after sprofil was refused");
}

static void no_region_is_off(void)
{
    struct counts counts;
    struct prof useless = all_loops(&counts);

    turn_on(&counts);
    calls_check_on(&counts, LOOP_A, "before it is turned off");
    off();
    calls_check_off(&counts, LOOP_A, "turned off");
    useless.pr_scale = 1;
    calls_sprofil(&useless, 1, PROF_USHORT);
    calls_check_off(&counts, LOOP_A, "with a region of scale 1");
    calls_count(&counts);
    calls_sprofil(&useless, 1, PROF_USHORT);
    if (is_in(SYSTEM_IRIX))
        calls_check_off(&counts, LOOP_A, "with a region of scale 1, after profil");
}

/* The C library's profil and sprofil are independent: turning one off does not affect the other. */
static void profil_goes_on(void)
{
    struct counts counts;
    struct prof useless = all_loops(&counts);

    useless.pr_scale = 1;
    calls_count(&counts);
    off();
    calls_check_on(&counts, LOOP_A, "profil, after sprofil without a region");
    calls_sprofil(&useless, 1, PROF_USHORT);
    calls_check_on(&counts, LOOP_B, "profil, after sprofil with a region of scale 1");
    calls_off();
    calls_check_off(&counts, LOOP_A, "profil, turned off");
}

static void sprofil_goes_on(void)
{
    struct counts counts;

    turn_on(&counts);
    calls_off();
    calls_check_on(&counts, LOOP_A, "sprofil, after profil was turned off");
    off();
    calls_check_off(&counts, LOOP_A, "sprofil, turned off");
}

/* Ends the case unless a call with these arguments returns 0 and reports the length of a tick. */
static void check_told(struct prof *regions, int count, const char *what)
{
    struct timeval interval = {77, 77};

    CHECK(sprofil(regions, count, &interval, PROF_USHORT) == 0, "%s: sprofil: %s", what, strerror(errno));
    CHECK(interval.tv_sec == 0 && interval.tv_usec == 1000000 / (long)spin_hz(),
          "%s: the tick is told to be %ld.%06ld s", what, (long)interval.tv_sec, (long)interval.tv_usec);
}

static void the_interval_is_told(void)
{
    struct counts counts = {0};
    struct prof region = all_loops(&counts), useless = region;

    useless.pr_scale = 1;
    check_told(NULL, 0, "without regions");
    check_told(&useless, 1, "with a region of scale 1");
    check_told(&region, 1, "turned on");
    check_told(NULL, 0, "turned off");
}

static struct prof many[65537]; /* every scale is 0 */

/* linux writes *tvp before it checks the arguments. irix never writes *tvp in a call that it refuses. */
static void the_interval_of_a_refused_call(void)
{
    struct timeval interval = {77, 77};
    struct prof overflow_first[] = {{NULL, 2, 0, 2}, {NULL, 2, spin_base(), 2}};

    if (is_in(SYSTEM_LINUX)) {
        calls_sprofil_refused(many, 65537, &interval, PROF_USHORT, ENOMEM);
        CHECK(interval.tv_sec == 0, "ENOMEM: *tvp was not written");
        interval.tv_sec = 77;
        calls_sprofil_refused((struct prof *)8, 1, &interval, PROF_USHORT, EFAULT);
        CHECK(interval.tv_sec == 0, "EFAULT: *tvp was not written");
        return;
    }
    calls_sprofil_refused(many, 101, &interval, PROF_USHORT, E2BIG);
    calls_sprofil_refused(many, -1, &interval, PROF_USHORT, E2BIG);
    calls_sprofil_refused(overflow_first, 2, &interval, PROF_USHORT, EINVAL);
    calls_sprofil_refused((struct prof *)8, 1, &interval, PROF_USHORT, EFAULT);
    CHECK(interval.tv_sec == 77 && interval.tv_usec == 77, "*tvp was written by a call that was refused");
}

static void linux_disables(void)
{
    struct counts first, second = {0};
    struct prof region = all_loops(&second);

    turn_on(&first);
    calls_check_on(&first, LOOP_A, "turned on");
    calls_sprofil(&region, 1, PROF_USHORT);
    calls_check_off(&first, LOOP_A, "after a second call");
    CHECK(second.of[LOOP_A] == 0, "the second call counts");
    calls_sprofil(&region, 1, PROF_USHORT);
    calls_check_on(&second, LOOP_A, "after a third call");
    calls_sprofil((struct prof *)8, 70000, PROF_USHORT);
    calls_check_off(&second, LOOP_A, "after a call whose arguments are ignored");
}

static void irix_replaces(void)
{
    struct counts first, second;
    uint16_t kept;

    turn_on(&first);
    calls_check_on(&first, LOOP_A, "turned on");
    turn_on(&second);
    kept = first.of[LOOP_A];
    calls_check_on(&second, LOOP_A, "after a second call");
    CHECK(first.of[LOOP_A] == kept, "the first call's buffer still counts after the second");
}

static void more_than_100_are_refused(void)
{
    struct counts counts;

    turn_on(&counts);
    calls_sprofil_refused(many, 101, NULL, PROF_USHORT, E2BIG);
    calls_sprofil_refused(many, -1, NULL, PROF_USHORT, E2BIG);
    calls_sprofil_refused((struct prof *)8, 101, (struct timeval *)8, PROF_USHORT, E2BIG);
    calls_check_on(&counts, LOOP_A, "what was running before refused calls");
    calls_sprofil(many, 100, PROF_USHORT);
    calls_check_off(&counts, LOOP_A, "after a call with a hundred useless regions");
}

static void more_than_65536_are_refused(void)
{
    struct counts counts;

    calls_count(&counts);
    calls_sprofil_refused(many, 65537, NULL, PROF_USHORT, ENOMEM);
    calls_check_on(&counts, LOOP_A, "profil, after a refused call");
    calls_sprofil(many, -1, PROF_USHORT);
    calls_check_on(&counts, LOOP_A, "profil, after a call with less than no regions");
    many[65535] = all_loops(&counts);
    calls_sprofil(many, 65536, PROF_USHORT);
    calls_check_on(&counts, LOOP_B, "with the last of 65536 regions");
    off();
}

static void overflow_comes_last(void)
{
    struct counts counts;
    uint16_t rest[2] = {0};
    struct prof regions[] = {{rest, sizeof rest, 0, 2}, all_loops(&counts)};

    turn_on(&counts);
    calls_sprofil_refused(regions, 2, NULL, PROF_USHORT, EINVAL);
    calls_sprofil_refused(regions, 2, (struct timeval *)8, PROF_USHORT, EINVAL);
    calls_check_on(&counts, LOOP_A, "what was running before a refused call");
    CHECK(rest[0] == 0, "a refused call counts");
}

static void memory_that_is_not_there(void)
{
    struct counts counts = {0};
    struct prof region = all_loops(&counts);
    void *read_only = calls_pages(1, PROT_READ);
    char *page = calls_pages(1, PROT_READ | PROT_WRITE);
    struct prof *torn = (struct prof *)(void *)(page + calls_page_size() - sizeof(struct prof));

    calls_sprofil_refused((struct prof *)8, 1, NULL, PROF_USHORT, EFAULT);
    calls_sprofil_refused(torn, 2, NULL, PROF_USHORT, EFAULT);
    calls_sprofil_refused(&region, 1, read_only, PROF_USHORT, EFAULT);
    calls_check_off(&counts, LOOP_A, "after a refused call");
    turn_on(&counts);
    calls_sprofil_refused(NULL, 0, read_only, PROF_USHORT, EFAULT);
    calls_check_on(&counts, LOOP_A, "what was running before a refused call");
    off();
    calls_count(&counts);
    calls_sprofil_refused((struct prof *)8, 1, NULL, PROF_USHORT, EFAULT);
    calls_check_on(&counts, LOOP_A, "profil, after a refused call");
}

static void a_fault(void)
{
    struct counts *page = calls_pages(1, PROT_READ | PROT_WRITE), counts = {0};
    struct prof regions[] = {{page->of, sizeof(uint16_t), spin_base(), COUNTS_SCALE},
                             {counts.of, sizeof counts, spin_base() + SPIN_STRIDE, COUNTS_SCALE}};

    calls_sprofil(regions, 2, PROF_USHORT);
    calls_check_on(page, LOOP_A, "before the page becomes read-only");
    calls_protect(page, PROT_READ);
    spin(LOOP_A, 100);
    calls_protect(page, PROT_READ | PROT_WRITE);
    calls_check_off(page, LOOP_A, "the region, after a fault");
    if (is_in(SYSTEM_LINUX))
        calls_check_off(&counts, LOOP_C, "the other region, after a fault");
    else {
        struct watch watch = watch_begin("the other region, after a fault", counts.of, SPIN_LOOPS);
        spin(LOOP_C, 100);
        watch_end(&watch, LOOP_C, TICKS_EXACT);
    }
    off();
}

static void child_of_sprofil(void *argument)
{
    struct counts *counts = argument;

    if (is_in(SYSTEM_LINUX)) {
        calls_check_off(counts, LOOP_B, "in the child");
        turn_on(counts);
        calls_check_on(counts, LOOP_B, "turned on in the child");
    } else
        watch_spin("the child", &counts->of[LOOP_B], LOOP_B, 100);
    off();
}

static void a_child(void)
{
    struct counts counts;
    pid_t pid;

    turn_on(&counts);
    spin(LOOP_A, 300); /* the child's clock starts at 0 */
    pid = conformance_fork(child_of_sprofil, &counts);
    watch_spin("the parent", &counts.of[LOOP_C], LOOP_C, 100);
    conformance_reap(pid);
    CHECK(counts.of[LOOP_B] == 0, "the child's ticks are in the parent's buffer");
    calls_check_on(&counts, LOOP_A, "after the child has turned it off for itself");
    off();
}

static void a_new_image(void)
{
    struct prof all = {IMAGE_BUFFER, sizeof(uint32_t), 0, 2};

    image_map();
    calls_sprofil(&all, 1, PROF_UINT);
    watch_spin("the overflow cell", IMAGE_BUFFER, LOOP_A, 60);
    image_exec();
}

/* The C library's own sprofil crashes on these calls. */
static void nothing_crashes(void)
{
    struct counts counts = {0};
    struct prof odd = all_loops(&counts);
    uint16_t cells[SPIN_LOOPS][2] = {0};

    odd.pr_scale = 65537;
    for (int i = 0; i < 5; i++)
        calls_sprofil(&odd, 1, PROF_USHORT);
    spin(LOOP_A, 30);
    for (int i = 0; i < 4; i++)
        off();
    for (int i = 0; i < 6; i++) {
        enum spin_loop loop = i % 2 ? LOOP_A : LOOP_B;
        struct prof regions[] = {
            {cells[LOOP_A], 2, spin_base(), COUNTS_SCALE},
            {cells[LOOP_B], 2, spin_base() + SPIN_STRIDE, COUNTS_SCALE},
        };
        memset(cells, 0, sizeof cells);
        calls_sprofil(regions, 2, PROF_USHORT);
        watch_spin("the region that was switched to", cells[loop], loop, 50);
        off();
    }
}

const struct conformance_case cases_sprofil_calls[] = {
    {"sprofil.enosys", WITHOUT_SPROFIL, there_is_none, false, NULL},
    {"sprofil.disable", IN_SPROFIL, no_region_is_off, false, NULL},
    {"profil.disable", SYSTEM_LINUX, sprofil_goes_on, true, "sprofil goes on"},
    {"sprofil.disable", SYSTEM_LINUX, profil_goes_on, true, "profil goes on"},
    {"sprofil.interval", IN_SPROFIL, the_interval_is_told, true, NULL},
    {"sprofil.interval", IN_SPROFIL, the_interval_of_a_refused_call, false, "of a call that is refused"},
    {"sprofil.repeated", SYSTEM_LINUX, linux_disables, false, NULL},
    {"sprofil.repeated", SYSTEM_IRIX, irix_replaces, false, NULL},
    {"sprofil.e2big", SYSTEM_IRIX, more_than_100_are_refused, false, NULL},
    {"sprofil.enomem", SYSTEM_LINUX, more_than_65536_are_refused, false, NULL},
    {"sprofil.einval", SYSTEM_IRIX, overflow_comes_last, false, NULL},
    {"sprofil.efault", IN_SPROFIL, memory_that_is_not_there, false, NULL},
    {"sprofil.fault", IN_SPROFIL, a_fault, false, NULL},
    {"sprofil.fork", IN_SPROFIL, a_child, false, NULL},
    {"sprofil.exec", IN_SPROFIL, a_new_image, false, NULL},
    {"sprofil.crashes", SYSTEM_LINUX, nothing_crashes, false, NULL},
    {NULL, 0, NULL, false, NULL},
};
