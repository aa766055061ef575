/* SPDX-License-Identifier: MIT */
/* Which placement of the tracer and which source of its ticks costs a program least on this machine. Every
 * variant samples the same fixed work (stop, registers, resume); the rounds are interleaved, and medians are
 * printed. */
#include "pacer.h"

#include <getopt.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { ALONE, INPROCESS, TRACED };

struct variant {
    const char *name;
    enum kind kind;
    struct pacing how;
    bool session; /* tracer in a session of its own: with autogroup that is a scheduler group of its own */
};

/* clang-format off */
#define OTHER(...) {.source = TICK_OWN, .placement = PLACE_OTHER, __VA_ARGS__}
#define SAME(tick, slice, ...) {.source = tick, .placement = PLACE_SAME, .slice_us = slice, __VA_ARGS__}
#define HOLD(us, slice, ...) SAME(TICK_THREAD, slice, .hold_us = us, __VA_ARGS__)

static const struct variant variants[] = {
    {"alone", ALONE, {0}, false},
    {"in-process", INPROCESS, {0}, false},
    {"free, own timer", TRACED, {.source = TICK_OWN}, false},
    {"free, tick thread", TRACED, {.source = TICK_THREAD}, false},
    {"other CPU, own timer", TRACED, OTHER(.spin = false), false},
    {"other CPU, own timer, spins", TRACED, OTHER(.spin = true), false},
    {"same CPU, own timer", TRACED, SAME(TICK_OWN, 100, .hold_us = 0), false},
    {"same CPU, two timers", TRACED, SAME(TICK_TWO, 100, .hold_us = 0), false},
    {"same CPU, two timers, gate", TRACED, SAME(TICK_TWO, 100, .gate = true), false},
    {"same CPU, tick thread", TRACED, SAME(TICK_THREAD, 100, .hold_us = 0), false},
    {"same CPU, tick thread, gate", TRACED, SAME(TICK_THREAD, 100, .gate = true), false},
    {"same CPU, tick thread holds", TRACED, HOLD(100, 100, .look_every = 1), false},
    {"same, holds, looks every 16", TRACED, HOLD(100, 100, .look_every = 16), false},
    {"same, holds 20", TRACED, HOLD(20, 100, .look_every = 1), false},
    {"same, holds, slice 500", TRACED, HOLD(100, 500, .look_every = 1), false},
    {"same, holds, default slice", TRACED, HOLD(100, 0, .look_every = 1), false},
    {"same, holds, rescue", TRACED, HOLD(100, 100, .rescue_us = 500), false},
    {"same, holds, own session", TRACED, HOLD(100, 100, .look_every = 1), true},
    {"same, holds, SCHED_FIFO", TRACED, HOLD(100, 0, .fifo = true), false},
};
/* clang-format on */
enum { VARIANTS = sizeof variants / sizeof variants[0], MOST_ROUNDS = 64 };

struct result {
    double wall;
    double cpu; /* of the sampler */
    double taken;
    double pause50;
    double pause99;
    double moves;
};

/* Shared with the tracee. */
struct board {
    _Atomic uint32_t ready;
    _Atomic uint32_t go;
    _Atomic uint32_t begun; /* the warm-up is over, and samples count */
    _Atomic uint32_t done;
    uint64_t wall;
    uint64_t taken;
};

static struct board *board;
static long rate = 1000;
static uint64_t iterations = 15000;
static int tracee_cpu = -1;
static bool even;

static void tracee(bool inprocess)
{
    struct inprocess sampler = {0};
    uint64_t begin;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin(0, tracee_cpu);
    board->ready = 1;
    while (board->go == 0)
        syscall(SYS_futex, &board->go, FUTEX_WAIT, 0, NULL, NULL, 0);
    compute(500);
    if (inprocess)
        inprocess_start(&sampler, rate);
    board->begun = 1;
    begin = now_ns();
    compute(iterations);
    board->wall = now_ns() - begin;
    board->taken = sampler.taken;
    board->done = 1;
    for (;;)
        pause();
}

static void trace(const struct variant *v, pid_t pid, struct result *r)
{
    struct pacing how = v->how;
    struct samples pauses = {0};
    struct pacer p;
    int status;

    how.even = even;
    pacer_open(&p, &how, rate, pid);
    while (board->done == 0) {
        uint64_t begin;

        pacer_wait(&p);
        begin = now_ns();
        if (stop_once(&p, pid, &status) != STOP_DONE)
            break;
        if (board->begun != 0)
            samples_add(&pauses, now_ns() - begin);
        pacer_served(&p);
    }
    pacer_close(&p);
    r->taken = (double)pauses.count;
    r->moves = (double)p.moves;
    r->pause50 = samples_percentile(&pauses, 50) / 1e3;
    r->pause99 = samples_percentile(&pauses, 99) / 1e3;
}

static void trial(const struct variant *v, struct result *r)
{
    pid_t pid;
    uint64_t begin;

    memset(board, 0, sizeof *board);
    pid = fork();
    if (pid == 0)
        tracee(v->kind == INPROCESS);
    if (v->session)
        setsid();
    while (board->ready == 0)
        usleep(500);
    usleep(2000);
    if (v->kind == TRACED && ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
        die("PTRACE_SEIZE");
    begin = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    board->go = 1;
    syscall(SYS_futex, &board->go, FUTEX_WAKE, 1, NULL, NULL, 0);
    if (v->kind == TRACED)
        trace(v, pid, r);
    while (board->done == 0)
        usleep(20000);
    r->cpu = (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin);
    r->wall = (double)board->wall;
    if (v->kind == INPROCESS)
        r->taken = (double)board->taken;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, __WALL);
}

/* In a process of its own, so that placement and slice are gone afterwards. */
static void trial_in_child(const struct variant *v, struct result *shared)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        trial(v, shared);
        _exit(0);
    }
    if (waitpid(pid, &status, 0) != pid || status != 0)
        fprintf(stderr, "bench: \"%s\" failed\n", v->name);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(const struct result *r, int rounds, size_t offset)
{
    double value[MOST_ROUNDS];

    for (int i = 0; i < rounds; i++)
        value[i] = *(const double *)((const char *)&r[i] + offset);
    qsort(value, (size_t)rounds, sizeof value[0], by_value);
    return value[rounds / 2];
}

#define MEDIAN(r, rounds, field) median(r, rounds, offsetof(struct result, field))

static void print_row(const char *name, const struct result *r, int rounds, double alone)
{
    double wall = MEDIAN(r, rounds, wall);
    double taken = MEDIAN(r, rounds, taken);

    if (taken == 0)
        taken = 1;
    printf("| %s | %.3f | %.1f | %.0f | %.1f | %.1f | %.1f | %.2f |\n", name, wall / alone,
           (wall - alone) / taken / 1e3, taken / (wall / 1e9), MEDIAN(r, rounds, pause50), MEDIAN(r, rounds, pause99),
           MEDIAN(r, rounds, cpu) / taken / 1e3, MEDIAN(r, rounds, moves) / taken);
}

static void print(struct result (*results)[MOST_ROUNDS], int rounds, const bool *chosen)
{
    double alone = MEDIAN(results[0], rounds, wall);

    printf("\n%ld Hz, tracee %s, %s, alone %.0f ms, medians of %d interleaved rounds\n\n", rate,
           tracee_cpu < 0 ? "not pinned" : "pinned", even ? "evenly spaced" : "random instants", alone / 1e6, rounds);
    printf("| variant | wall ratio | lost us a sample | samples a second | pause us | p99 us | sampler's CPU "
           "us a "
           "sample | moves a sample |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 1; i < VARIANTS; i++)
        if (chosen[i])
            print_row(variants[i].name, results[i], rounds, alone);
    fflush(stdout);
}

static void usage(void)
{
    fputs("usage: placement [-r HZ] [-n ROUNDS] [-i ITERATIONS] [-c TRACEE_CPU] [-e] [-v PART_OF_NAME]\n"
          "  -e: evenly spaced ticks    -v: only the variants whose name has that part\n",
          stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    struct result(*results)[MOST_ROUNDS];
    bool chosen[VARIANTS];
    int rounds = 5, option;
    const char *part = "";

    while ((option = getopt(argc, argv, "r:n:i:c:ev:")) != -1) {
        switch (option) {
        case 'r':
            rate = parse_long(optarg, "-r", 1, 20000);
            break;
        case 'n':
            rounds = (int)parse_long(optarg, "-n", 1, MOST_ROUNDS);
            break;
        case 'i':
            iterations = (uint64_t)parse_long(optarg, "-i", 1, 100000000);
            break;
        case 'c':
            tracee_cpu = (int)parse_long(optarg, "-c", -1, 1023);
            break;
        case 'e':
            even = true;
            break;
        case 'v':
            part = optarg;
            break;
        default:
            usage();
        }
    }
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    results = mmap(NULL, sizeof *results * VARIANTS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED || results == MAP_FAILED)
        die("mmap");
    for (int i = 0; i < VARIANTS; i++)
        chosen[i] = variants[i].kind != TRACED || strstr(variants[i].name, part) != NULL;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < VARIANTS; i++)
            if (chosen[i])
                trial_in_child(&variants[i], &results[i][round]);
    print(results, rounds, chosen);
    return 0;
}
