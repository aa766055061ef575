/* SPDX-License-Identifier: MIT
 *
 * Results and samples of pcsample. Its rules do not depend on the system. */
#include "calls.h"
#include "conformance.h"
#include "samples.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ROOM 512
static uintptr_t samples[ROOM], others[ROOM];

static void a_negative_count(void)
{
    samples_refused(samples, -1, EINVAL);
    samples_refused(NULL, LONG_MIN, EINVAL);
    CHECK(samples_call(samples, ROOM) == 0, "the first call after refused ones does not return 0");
    samples_check_on(samples, ROOM, "after refused calls");
    samples_refused(others, -1, EINVAL);
    samples_check_on(samples, ROOM, "what was on before a refused call");
    CHECK(samples_call(NULL, 0) == (long)samples_stored(samples, ROOM), "a refused call changed the count");
}

static void first_in_a_child(void *unused)
{
    (void)unused;
    CHECK(samples_call(NULL, 0) == 0, "the first call in a child does not return 0");
    CHECK(samples_call(samples, ROOM) == 0, "the second call in a child does not return 0");
    samples_check_on(samples, ROOM, "in a child");
}

static void the_first_call(void)
{
    pid_t pid = conformance_fork(first_in_a_child, NULL);

    CHECK(samples_call(samples, ROOM) == 0, "the first call does not return 0");
    conformance_reap(pid);
}

static void the_count(void)
{
    samples_call(samples, ROOM);
    samples_spin(samples, 0, LOOP_A, 150);
    long first = samples_call(others, ROOM);
    CHECK(first == (long)samples_stored(samples, ROOM), "%ld were counted and %zu stored", first,
          samples_stored(samples, ROOM));
    samples_spin(others, 0, LOOP_A, 100);
    long second = samples_call(NULL, 0);
    CHECK(second == (long)samples_stored(others, ROOM), "%ld were counted and %zu stored", second,
          samples_stored(others, ROOM));
}

/* The count includes a tick that passed right before the call. */
static void what_is_due(void)
{
    uint64_t tick = UINT64_C(1000000000) / spin_hz();

    for (int i = 0; i < 40; i++) {
        uint64_t before = spin_clock();
        samples_call(samples, ROOM);
        uint64_t begin = spin_clock(), next = (begin / tick + 1) * tick, end, after;
        while ((end = spin_clock()) < next)
            continue;
        uint64_t count = (uint64_t)samples_call(NULL, 0);
        after = spin_clock();
        CHECK_COUNT(count >= spin_ticks(begin, end) && count <= spin_ticks(before, after),
                    "%lu ticks were counted, of %lu at the least and %lu at the most", (unsigned long)count,
                    (unsigned long)spin_ticks(begin, end), (unsigned long)spin_ticks(before, after));
    }
}

/* Runs two loops and then system calls: the array must have this order. At most one sample of each may be late or lie
 * between the loops. */
static void exact_and_in_order(void)
{
    size_t b, calls, end;

    samples_call(samples, ROOM);
    samples_spin(samples, 0, LOOP_A, 100);
    b = samples_stored(samples, ROOM);
    samples_spin(samples, b, LOOP_B, 100);
    calls = samples_stored(samples, ROOM);
    samples_spin(samples, calls, LOOP_CALLS, 100);
    end = samples_stored(samples, ROOM);
    samples_call(NULL, 0);
    conformance_ticks("the first loop's", samples_of(samples, b, LOOP_A), b, 1);
    conformance_ticks("the second loop's", samples_of(samples + b, calls - b, LOOP_B), calls - b, 1);
    conformance_ticks("the instruction's after a system call", samples_of(samples + calls, end - calls, LOOP_CALLS),
                      end - calls, 1);
}

static uint64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Makes one system call that takes several ticks without interruption. Returns false if none takes that long. */
static bool spend_ticks_at_once(void)
{
    for (size_t bytes = (size_t)64 << 20; bytes <= (size_t)512 << 20; bytes *= 2) {
        uint64_t before_ns = cpu_ns();
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        uint64_t after_ns = cpu_ns();
        if (memory == MAP_FAILED)
            return false;
        munmap(memory, bytes);
        if (after_ns - before_ns > 50000000)
            return true;
    }
    return false;
}

/* Several ticks stored at once must not overrun the array. */
static void an_array_filled_at_once(void)
{
    enum { FULL = 2 };

    samples_call(samples, FULL);
    spend_ticks_at_once();
    spin(LOOP_A, 60);
    long count = samples_call(NULL, 0);
    CHECK(count == FULL, "the call after a full array returned %ld, not %d", count, FULL);
    for (size_t i = FULL; i < ROOM; i++)
        CHECK(!samples[i], "element %zu of an array of %d has been written", i, FULL);
}

static void a_full_array(void)
{
    enum { FULL = 6 };

    samples_call(samples, FULL);
    samples_spin(samples, 0, LOOP_A, 30);
    spin(LOOP_A, 100);
    CHECK(samples_stored(samples, ROOM) <= FULL, "%zu samples are in an array of %d", samples_stored(samples, ROOM),
          FULL);
    long count = samples_call(NULL, 0);
    CHECK(count == FULL, "the call after a full array returned %ld, not %d", count, FULL);
    CHECK(samples_call(NULL, 0) == 0, "the call after that one does not return 0");
}

static void a_stop(void)
{
    samples_call(samples, ROOM);
    samples_check_on(samples, ROOM, "before the stop");
    long count = samples_call(NULL, 0);
    CHECK(count == (long)samples_stored(samples, ROOM), "%ld were counted and %zu stored", count,
          samples_stored(samples, ROOM));
    samples_check_off(samples, ROOM, "after the stop");
    CHECK(samples_call(others, 0) == 0, "the second stop does not return 0");
    CHECK(samples_call((uintptr_t *)8, 0) == 0, "the third stop does not return 0");
}

static void a_new_array(void)
{
    size_t kept;

    samples_call(samples, ROOM);
    samples_check_on(samples, ROOM, "the first array");
    samples_call(others, ROOM);
    kept = samples_stored(samples, ROOM);
    samples_check_on(others, ROOM, "the second array");
    CHECK(samples_stored(samples, ROOM) == kept, "the first array goes on");
    memset(samples, 0, sizeof samples);
    samples_call(samples, ROOM);
    samples_check_on(samples, ROOM, "the first array again, from its beginning");
}

static void nap(long milliseconds)
{
    struct timespec left = {0, milliseconds * 1000000};

    while (nanosleep(&left, &left) != 0)
        CHECK(errno == EINTR, "nanosleep: %s", strerror(errno));
}

/* Fills COUNT elements by bursts of CPU time with sleep between them. COUNT ticks must fill the array. */
static void fill(size_t count, unsigned burst, long sleep, uint64_t tolerance)
{
    uint64_t begin = spin_clock(), ticks = 0;

    samples_call(samples, (long)count);
    for (; samples_stored(samples, count) < count && ticks <= 2 * count; ticks = spin_ticks(begin, spin_clock())) {
        for (unsigned i = 0; i < burst && samples_stored(samples, count) < count; i++)
            spin(LOOP_A, 1);
        if (samples_stored(samples, count) < count)
            nap(sleep);
    }
    conformance_ticks("until the array was full", ticks, count, tolerance);
    CHECK(samples_call(NULL, 0) == (long)count, "the count is not that of a full array");
    conformance_ticks("in the loop", samples_of(samples, count, LOOP_A), count, 2 + count / 50);
}

static void two_seconds_in_ten(void)
{
    fill(200, 10, 40, 4);
}

static void half_asleep(void)
{
    fill(40, 10, 10, 4);
}

static void *spin_for_a_while(void *loop)
{
    spin_thread(*(enum spin_loop *)loop, 200);
    return NULL;
}

/* The ticks of three threads add up, and each thread is sampled. */
static void three_threads(void)
{
    static enum spin_loop loops[] = {LOOP_A, LOOP_B, LOOP_C};
    pthread_t threads[3];
    uint64_t begin = spin_clock(), expected;

    samples_call(samples, ROOM);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, spin_for_a_while, &loops[i]) == 0, "no thread");
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    expected = spin_ticks(begin, spin_clock());
    spin(LOOP_D, 20); /* time for late ticks */
    long count = samples_call(NULL, 0);
    conformance_ticks("three threads", (uint64_t)count, expected + 2, 1 + TICKS_EXACT);
    for (int i = 0; i < 3; i++)
        CHECK_COUNT(samples_of(samples, ROOM, loops[i]) > 0, "one of three threads was never sampled");
}

static void spend(void (*function)(void))
{
    uint64_t end = spin_clock() + 150 * UINT64_C(1000000);

    while (spin_clock() < end)
        function();
}

static void fill_memory(void)
{
    enum { SIZE = 1 << 20 };
    static char bytes[SIZE];
    void *(*volatile set)(void *, int, size_t) = memset;

    set(bytes, 1, SIZE);
}

static void ask_the_time(void)
{
    struct timespec now;

    for (int i = 0; i < 10000; i++)
        clock_gettime(CLOCK_MONOTONIC, &now);
}

/* True if a sample is in the shared object of FUNCTION. */
static bool any_in_object_of(uintptr_t function)
{
    Dl_info object, sampled;

    if (!dladdr((void *)function, &object))
        return true; /* a static program has no shared objects */
    for (size_t i = 0; i < ROOM && samples[i]; i++)
        if (dladdr((void *)samples[i], &sampled) && sampled.dli_fbase == object.dli_fbase)
            return true;
    return false;
}

static bool any_in_vdso(void)
{
    uintptr_t start = getauxval(AT_SYSINFO_EHDR);

    for (size_t i = 0; i < ROOM && samples[i]; i++)
        if (samples[i] - start < 2 * calls_page_size())
            return true;
    return !start;
}

static void libraries_and_vdso(void)
{
    samples_call(samples, ROOM);
    spend(fill_memory);
    CHECK_COUNT(any_in_object_of((uintptr_t)memset), "no sample is in the C library");
    spend(ask_the_time);
    CHECK_COUNT(any_in_vdso(), "no sample is in the vDSO");
}

#if LONG_MAX == INT32_MAX
static void a_count_out_of_range(void)
{
    samples_refused(samples, (long)(UINT32_C(1) << 31), EINVAL);
    samples_refused(samples, (long)UINT32_MAX, EINVAL);
    CHECK(samples_call(samples, INT32_MAX) == 0, "the most that there can be is not taken");
    samples_check_on(samples, ROOM, "an array of all memory");
    samples_refused(others, (long)(UINT32_C(1) << 31), EINVAL);
    samples_check_on(samples, ROOM, "what was on before a refused call");
    CHECK(samples_call(NULL, 0) == (long)samples_stored(samples, ROOM), "a refused call changed the count");
}
#endif

const struct conformance_case cases_pcsample[] = {
    {"pcsample.einval", IN_ALL, a_negative_count, false, NULL},
    {"pcsample.first", IN_ALL, the_first_call, false, NULL},
    {"pcsample.count", IN_ALL, the_count, false, NULL},
    {"pcsample.count", IN_ALL, what_is_due, false, "what is due when it is called"},
    {"pcsample.store", IN_ALL, exact_and_in_order, false, NULL},
    {"pcsample.full", IN_ALL, a_full_array, false, NULL},
    {"pcsample.full", IN_ALL, an_array_filled_at_once, false, "by ticks that are stored together"},
    {"pcsample.stop", IN_ALL, a_stop, false, NULL},
    {"pcsample.restart", IN_ALL, a_new_array, false, NULL},
    {"pcsample.vtime", SYSTEM_LINUX, two_seconds_in_ten, false, "two seconds of ten"},
    {"pcsample.vtime", IN_ALL & ~SYSTEM_LINUX, half_asleep, false, NULL},
    {"pcsample.vtime", IN_ALL, three_threads, false, "three threads"},
    {"pcsample.all", IN_ALL, libraries_and_vdso, false, "libraries and vDSO"},
#if LONG_MAX == INT32_MAX
    {"pcsample.range", IN_ALL, a_count_out_of_range, false, NULL},
#else
    {"pcsample.range", IN_ALL, NULL, false, "only a 32-bit process can show it, and this is a 64-bit one"},
#endif
    {NULL, 0, NULL, false, NULL},
};
