/* SPDX-License-Identifier: MIT
 *
 * A program compiled with -pg, which prints the CPU time of each of its functions in microseconds, of these functions
 * together, and since main began. It writes gmon.out as usual.
 *
 *     gprof [-t] [-a] [-f CHILDREN] [-r READY] [-w] [-c] CPU_MS
 * -t: it also has a profiling timer of its own, of 10 ms, and prints the number of its signals ("signals N").
 * -a: it aborts at the end. -f: this number of children do a part of the work each, and end normally.
 * -r READY: created when it is about to work. -w: it is profiled: its code must differ from its files at first.
 * -c: at the end, its code must equal its files, and it must not be traced (it waits 5 seconds for that). */
#include "own_text.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

DEFINE_SPIN(has_half, 0x2001)
DEFINE_SPIN(has_three_tenths, 0x2002)
DEFINE_SPIN(has_three_twentieths, 0x2003)
DEFINE_SPIN(has_a_twentieth, 0x2004)

enum { PARTS = 20 };
static const struct {
    const char *name;
    spin_function *run;
    unsigned parts;
} functions[] = {
    {"has_half", has_half, 10},
    {"has_three_tenths", has_three_tenths, 6},
    {"has_three_twentieths", has_three_twentieths, 3},
    {"has_a_twentieth", has_a_twentieth, 1},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static uint64_t had_ns[FUNCTIONS];
static volatile sig_atomic_t signals;

static void count(int signal)
{
    (void)signal;
    signals++;
}

/* In slices unrelated to any ticks. */
static void work(uint64_t milliseconds)
{
    const uint64_t began_ns = thread_cpu_ns(), end_ns = began_ns + milliseconds * MILLISECOND_NS;
    const uint64_t rounds = rounds_per_ms(has_half) * 137 / (10 * PARTS);
    had_ns[0] += thread_cpu_ns() - began_ns; /* long on a slow machine */
    while (thread_cpu_ns() < end_ns)
        for (size_t i = 0; i < FUNCTIONS; i++) {
            uint64_t before_ns = thread_cpu_ns();
            functions[i].run(rounds * functions[i].parts);
            had_ns[i] += thread_cpu_ns() - before_ns;
        }
}

static void start_timer(void)
{
    const struct itimerval interval = {{0, 10000}, {0, 10000}};
    struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART};
    CHECK(sigaction(SIGPROF, &action, NULL) == 0 && setitimer(ITIMER_PROF, &interval, NULL) == 0);
}

static void stop_timer(void)
{
    const struct itimerval none = {{0, 0}, {0, 0}};
    struct itimerval left;
    struct sigaction action;
    CHECK(getitimer(ITIMER_PROF, &left) == 0 && left.it_interval.tv_usec == 10000);
    CHECK(sigaction(SIGPROF, NULL, &action) == 0 && action.sa_handler == count);
    CHECK(setitimer(ITIMER_PROF, &none, NULL) == 0);
    printf("signals %d\n", (int)signals);
}

/* Each child writes its own gmon.out when it ends. */
static void have_children(int count, uint64_t milliseconds)
{
    for (int i = 0; i < count; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            work(milliseconds);
            exit(30 + i);
        }
        CHECK_EXITED(pid, 30 + i);
    }
}

int main(int argc, char **argv)
{
    bool timed = false, aborts = false, watched = false, must_be_clean = false;
    const char *ready = NULL;
    int option, children = 0;
    const uint64_t loading_ns = process_cpu_ns();
    uint64_t functions_ns = 0;
    target_begin();
    while ((option = getopt(argc, argv, "taf:r:wc")) >= 0)
        switch (option) {
        case 't':
            timed = true;
            break;
        case 'a':
            aborts = true;
            break;
        case 'f':
            children = atoi(optarg);
            break;
        case 'r':
            ready = optarg;
            break;
        case 'w':
            watched = true;
            break;
        case 'c':
            must_be_clean = true;
            break;
        default:
            return 98;
        }
    CHECK(optind + 1 == argc);
    CHECK(!watched || own_text_differences() > 0);
    announce(ready);
    if (timed)
        start_timer();
    uint64_t milliseconds = (uint64_t)atoi(argv[optind]), share = milliseconds / (uint64_t)(children + 1);
    have_children(children, share);
    work(share);
    if (timed)
        stop_timer();
    for (size_t i = 0; i < FUNCTIONS; i++) {
        printf("%s %llu\n", functions[i].name, (unsigned long long)had_ns[i] / 1000);
        functions_ns += had_ns[i];
    }
    printf("functions %llu\n", (unsigned long long)functions_ns / 1000);
    printf("profiled %llu\n", (unsigned long long)(process_cpu_ns() - loading_ns) / 1000);
    CHECK(!must_be_clean || own_text_returns(30));
    CHECK(fflush(stdout) == 0);
    if (aborts)
        abort();
    return 0;
}
