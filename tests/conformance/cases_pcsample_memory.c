/* SPDX-License-Identifier: MIT
 *
 * pcsample with bad memory, other processes, other profil calls, and signals. */
#include "calls.h"
#include "conformance.h"
#include "image.h"
#include "samples.h"

#include <errno.h>
#include <pcsample.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define ROOM 512
static uintptr_t samples[ROOM], others[ROOM];

/* Memory ends after STORED elements of the array. */
static void the_end_of_memory(void)
{
    enum { STORED = 7 };
    char *end = (char *)calls_pages(1, PROT_READ | PROT_WRITE) + calls_page_size();
    uintptr_t *array = (uintptr_t *)(void *)end - STORED;

    samples_call(array, ROOM);
    spin(LOOP_A, 10 * (STORED + 5));
    for (int late = 0; late < 40 && !array[STORED - 1]; late++)
        spin(LOOP_A, 10);
    spin(LOOP_A, 30);
    long count = samples_call(NULL, 0);
    CHECK(count == STORED, "the call after a fault returned %ld, and %d were stored", count, STORED);
    CHECK(samples_call(samples, ROOM) == 0, "the call after that one does not return 0");
    samples_check_on(samples, ROOM, "after a fault, with a new array");
}

/* Writable memory ends in the middle of an element. No byte of this element may be written. */
static void half_an_element(void)
{
    enum { WHOLE = 3, HALF = sizeof(uintptr_t) / 2 };
    static const unsigned char untouched[] = {0x11, 0x12, 0x13, 0x14};

    for (int mapped = 0; mapped < 2; mapped++) {
        char *pages = calls_pages(2, PROT_READ | PROT_WRITE), *end = pages + calls_page_size();
        char *array = end - WHOLE * sizeof(uintptr_t) - HALF;
        if (mapped)
            calls_protect(end, PROT_READ);
        else
            CHECK(munmap(end, calls_page_size()) == 0, "munmap: %s", strerror(errno));
        memcpy(end - HALF, untouched, HALF);
        samples_call((uintptr_t *)(void *)array, ROOM);
        spin(LOOP_A, 10 * (WHOLE + 10));
        CHECK(samples_call(NULL, 0) == WHOLE, "not all of the elements before the end are stored");
        CHECK(memcmp(end - HALF, untouched, HALF) == 0, "half of an element was written");
    }
}

/* The processor makes writable memory readable, too. */
static void mapped_for_writing_alone(void)
{
    char *pages = calls_pages(2, PROT_WRITE);

    for (size_t shift = 0; shift < 2; shift++) { /* with shift 1, an element crosses the page boundary */
        uintptr_t *array = (uintptr_t *)(void *)(pages + calls_page_size() - 2 * sizeof(uintptr_t) + shift);
        memset(array, 0, 5 * sizeof *array);
        samples_call(array, 5);
        spin(LOOP_A, 150);
        long count = samples_call(NULL, 0);
        CHECK(count == 5, "%ld samples are stored, not 5", count);
        for (size_t i = 0; i < 5; i++) {
            uintptr_t pc;
            memcpy(&pc, (char *)array + i * sizeof pc, sizeof pc);
            CHECK_COUNT(i == 0 || pc == spin_pc(LOOP_A), "a sample of a loop is %#lx", (unsigned long)pc);
        }
    }
}

static void a_page_becomes_read_only(void)
{
    uintptr_t *page = calls_pages(1, PROT_READ | PROT_WRITE);
    size_t room = calls_page_size() / sizeof *page;

    samples_call(page, (long)room);
    samples_check_on(page, room, "before the page becomes read-only");
    calls_protect(page, PROT_READ);
    size_t kept = samples_stored(page, room);
    spin(LOOP_A, 100);
    CHECK(samples_stored(page, room) == kept, "written where the process could not");
    calls_protect(page, PROT_READ | PROT_WRITE);
    samples_check_off(page, room, "after a fault");
    long count = samples_call(page, (long)room);
    CHECK(count == (long)kept, "the call after a fault returned %ld, and %zu were stored", count, kept);
}

static void never_writable(void)
{
    uintptr_t *page = calls_pages(1, PROT_READ);

    CHECK(samples_call(page, 100) == 0, "the first call does not return 0");
    spin(LOOP_A, 100);
    CHECK(samples_call((uintptr_t *)(UINTPTR_MAX - 15), 100) == 0, "a sample was stored where none can be");
    spin(LOOP_A, 100);
    CHECK(samples_call(NULL, 0) == 0, "a sample was stored where none can be");
    CHECK(!page[0], "written where the process could not");
}

static void sampled_child(void *unused)
{
    size_t at_fork = samples_stored(samples, ROOM), stored;

    (void)unused;
    samples_spin(samples, at_fork, LOOP_B, 100);
    stored = samples_stored(samples, ROOM);
    conformance_ticks("the child", samples_of(samples + at_fork, stored - at_fork, LOOP_B), stored - at_fork, 1);
    long count = samples_call(NULL, 0);
    stored = samples_stored(samples, ROOM);
    CHECK(count == (long)stored, "the child's count is %ld; %zu were stored before fork, and %zu with its own", count,
          at_fork, stored);
    CHECK(samples_call(NULL, 0) == 0, "the child's next count is not 0");
}

static void a_child_goes_on(void)
{
    size_t at_fork;

    samples_call(samples, ROOM);
    samples_spin(samples, 0, LOOP_A, 300); /* the child's clock starts at 0 */
    pid_t pid = conformance_fork(sampled_child, NULL);
    at_fork = samples_stored(samples, ROOM);
    samples_spin(samples, at_fork, LOOP_C, 100);
    conformance_reap(pid);
    samples_check_on(samples, ROOM, "in the parent, after the child has stopped its own");
    CHECK(samples_of(samples, ROOM, LOOP_B) == 0, "the child's samples are in the parent's array");
    CHECK(samples_call(NULL, 0) == (long)samples_stored(samples, ROOM), "the parent's count is not its own");
}

static void exec_sampled(void *unused)
{
    (void)unused;
    image_exec_samples();
}

static void a_new_image(void)
{
    image_map();
    samples_call(IMAGE_BUFFER, ROOM);
    samples_check_on(IMAGE_BUFFER, ROOM, "before fork and exec");
    conformance_reap(conformance_fork(exec_sampled, NULL));
    samples_check_on(IMAGE_BUFFER, ROOM, "after a child's exec");
    image_exec_samples();
}

/* A call of profil or pcsample replaces the other. */
static void profil_and_pcsample(void)
{
    struct counts counts;
    uint16_t kept;

    calls_count(&counts);
    calls_check_on(&counts, LOOP_A, "profil");
    CHECK(samples_call(samples, ROOM) == 0, "the first call, after profil, does not return 0");
    kept = counts.of[LOOP_D];
    samples_check_on(samples, ROOM, "pcsample after profil");
    CHECK(counts.of[LOOP_D] == kept, "profil goes on after pcsample");
    calls_off();
    samples_check_off(samples, ROOM, "pcsample, after profil was turned off");
    CHECK(samples_call(NULL, 0) == 0, "profil does not set pcsample's count to 0");

    memset(samples, 0, sizeof samples);
    samples_call(samples, ROOM);
    samples_check_on(samples, ROOM, "pcsample");
    calls_count(&counts);
    calls_check_on(&counts, LOOP_A, "profil after pcsample");
    samples_refused(others, -1, EINVAL);
    calls_check_on(&counts, LOOP_A, "profil after a refused pcsample");
    CHECK(samples_call(NULL, 0) == 0, "profil does not set pcsample's count to 0");
    calls_check_off(&counts, LOOP_A, "profil, after pcsample was turned off");
}

static void a_bad_buffer_changes_nothing(void)
{
    void *read_only = calls_pages(1, PROT_READ);

    samples_call(samples, ROOM);
    samples_check_on(samples, ROOM, "pcsample");
    calls_profil_refused(read_only, 64, 4096, 65536, EFAULT);
    samples_check_on(samples, ROOM, "pcsample, after a profil that failed");
    CHECK(samples_call(NULL, 0) == (long)samples_stored(samples, ROOM), "a profil that failed has changed the count");
}

static void darwins_profil_changes_nothing(void)
{
    struct counts counts = {0};

    samples_call(samples, ROOM);
    samples_check_on(samples, ROOM, "pcsample");
    calls_profil_refused(&counts, sizeof counts, spin_base(), COUNTS_SCALE, EINVAL);
    samples_check_on(samples, ROOM, "pcsample, after profil was refused");
    CHECK(samples_call(NULL, 0) == (long)samples_stored(samples, ROOM), "a refused profil has changed the count");
}

static void sprofil_and_pcsample(void)
{
    struct counts counts = {0};
    struct prof region = {counts.of, sizeof counts, spin_base(), COUNTS_SCALE};

    samples_call(samples, ROOM);
    samples_check_on(samples, ROOM, "pcsample");
    if (!is_in(IN_SPROFIL)) {
        calls_sprofil_refused(&region, 1, NULL, PROF_USHORT, ENOSYS);
        samples_check_on(samples, ROOM, "pcsample, after sprofil was refused");
        return;
    }
    calls_sprofil(&region, 1, PROF_USHORT);
    calls_check_on(&counts, LOOP_A, "sprofil after pcsample");
    CHECK(samples_call(others, ROOM) == 0, "sprofil does not set pcsample's count to 0");
    samples_check_on(others, ROOM, "pcsample after sprofil");
    calls_check_off(&counts, LOOP_A, "sprofil after pcsample");
}

static atomic_long handled, wrong;

static void call_in_handler(int signal)
{
    int kept = errno;

    (void)signal;
    if (pcsample(others, ROOM) < 0)
        wrong++;
    handled++;
    errno = kept;
}

static atomic_bool enough;

/* Blocks all signals and calls without pause. */
static void *call_all_the_time(void *unused)
{
    sigset_t all;

    (void)unused;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!enough)
        if (pcsample(samples, ROOM) < 0)
            wrong++;
    return NULL;
}

static void anywhere_at_any_time(void)
{
    struct sigaction action = {.sa_handler = call_in_handler, .sa_flags = SA_RESTART};
    struct itimerval every_ms = {{0, 1000}, {0, 1000}}, none = {0};
    pthread_t thread;

    sigfillset(&action.sa_mask);
    CHECK(sigaction(SIGALRM, &action, NULL) == 0, "sigaction: %s", strerror(errno));
    CHECK(pthread_create(&thread, NULL, call_all_the_time, NULL) == 0, "no thread");
    CHECK(setitimer(ITIMER_REAL, &every_ms, NULL) == 0, "setitimer: %s", strerror(errno));
    /* On a slow machine with one CPU, answering the other thread takes most of the time. */
    for (time_t last = time(NULL) + 10; time(NULL) < last && handled < 50;) {
        spin_thread(LOOP_A, 5);
        CHECK(pcsample(samples, ROOM) >= 0, "pcsample: %s", strerror(errno));
    }
    setitimer(ITIMER_REAL, &none, NULL);
    enough = true;
    pthread_join(thread, NULL);
    CHECK(handled > 0, "no signal was handled");
    CHECK(wrong == 0, "%ld calls failed", (long)wrong);
    memset(samples, 0, sizeof samples);
    samples_call(samples, ROOM);
    samples_check_on(samples, ROOM, "after all that");
}

/* The signals that a call may use to reach ptprofil, and how often each arrived. */
static const int candidates[] = {SIGURG, SIGWINCH, SIGCHLD};
#define CANDIDATES (sizeof candidates / sizeof *candidates)
static volatile sig_atomic_t came[CANDIDATES];

static void own_handler(int signal)
{
    for (size_t i = 0; i < CANDIDATES; i++)
        if (candidates[i] == signal)
            came[i]++;
}

/* Each signal must still be blocked and pending. */
static void check_pending(void)
{
    sigset_t pending, mask;

    sigpending(&pending);
    sigprocmask(SIG_SETMASK, NULL, &mask);
    for (size_t i = 0; i < CANDIDATES; i++) {
        CHECK(sigismember(&pending, candidates[i]) == 1 && !came[i], "pending signal %d came early", candidates[i]);
        CHECK(sigismember(&mask, candidates[i]) == 1, "signal %d is not blocked any more", candidates[i]);
    }
    CHECK(sigismember(&mask, SIGINT) == 1, "the mask has changed");
}

static int send_to_process(int signal)
{
    return kill(getpid(), signal);
}

/* Calls pcsample with all signals blocked and the candidates pending. They must neither arrive early nor be lost. SEND
 * sends a signal to the thread or to the process. */
static void check_blocked(int (*send)(int))
{
    struct sigaction action = {.sa_handler = own_handler};
    sigset_t all, before;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    for (size_t i = 0; i < CANDIDATES; i++) {
        came[i] = 0;
        sigaction(candidates[i], &action, NULL);
        send(candidates[i]);
    }
    memset(samples, 0, sizeof samples);
    samples_call(samples, ROOM);
    samples_check_on(samples, ROOM, "turned on with all signals blocked");
    CHECK(samples_call(NULL, 0) > 0, "nothing is counted with all signals blocked");
    check_pending();
    sigprocmask(SIG_SETMASK, &before, NULL);
    for (size_t i = 0; i < CANDIDATES; i++)
        CHECK(came[i] == 1, "pending signal %d came %d times", candidates[i], (int)came[i]);
}

static void with_signals_blocked(void)
{
    check_blocked(raise);
    check_blocked(send_to_process);
}

static int unsupervised(void *unused)
{
    (void)unused;
    samples_refused(samples, ROOM, ENOSYS);
    samples_refused(samples, -1, ENOSYS);
    samples_refused(NULL, 0, ENOSYS);
    return 0;
}

/* CLONE_UNTRACED keeps ptprofil from tracing the child. */
static void without_a_supervisor(void)
{
    char *stack_end = (char *)calls_pages(16, PROT_READ | PROT_WRITE) + 16 * calls_page_size();
    pid_t pid = clone(unsupervised, stack_end, CLONE_UNTRACED | SIGCHLD, NULL);

    CHECK(pid >= 0, "clone: %s", strerror(errno));
    conformance_reap(pid);
}

const struct conformance_case cases_pcsample_memory[] = {
    {"pcsample.fault", IN_ALL, the_end_of_memory, false, "the end of memory"},
    {"pcsample.fault", IN_ALL, half_an_element, false, "half of an element"},
    {"pcsample.store", IN_ALL, mapped_for_writing_alone, false, "memory that is mapped for writing alone"},
    {"pcsample.fault", IN_ALL, a_page_becomes_read_only, false, "a page becomes read-only"},
    {"pcsample.fault", IN_ALL, never_writable, false, "memory that is not there"},
    {"pcsample.fork", IN_ALL, a_child_goes_on, false, NULL},
    {"pcsample.exec", IN_ALL, a_new_image, false, NULL},
    {"pcsample.profil", IN_PROFIL, profil_and_pcsample, false, "profil"},
    {"pcsample.profil", SYSTEM_FREEBSD | SYSTEM_DARWIN_CLASSIC, a_bad_buffer_changes_nothing, false,
     "profil of a bad buffer"},
    {"pcsample.profil", SYSTEM_DARWIN, darwins_profil_changes_nothing, false, "profil"},
    {"pcsample.profil", IN_ALL, sprofil_and_pcsample, false, "sprofil"},
    {"pcsample.signal", IN_ALL, anywhere_at_any_time, false, "a handler, and another thread"},
    {"pcsample.signal", IN_ALL, with_signals_blocked, false, "signals that are blocked"},
    {"pcsample.alone", IN_ALL, without_a_supervisor, true, NULL},
    {NULL, 0, NULL, false, NULL},
};
