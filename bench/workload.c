/* SPDX-License-Identifier: MIT */
/* Does a fixed piece of work, or detects gaps in its CPU time, and prints its measurement at the end. */
#include "bench.h"

#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    uint64_t iterations;
    long inprocess_hz;
    long threads;
    int cpu;
    double gap_seconds; /* 0: work, do not look for gaps */
    uint64_t gap_threshold;
    uint64_t longest_gap;
    const char *output;
} opt = {.iterations = 45000, .threads = 1, .cpu = -1, .gap_threshold = 4000, .longest_gap = UINT64_MAX};

struct worker {
    pthread_t thread;
    uint64_t cpu;
    uint64_t samples;
    uint64_t overruns;
    uint64_t gap_ns;
    struct samples gaps;
};

/* Two readings of the clock lie some 30 ns apart; where they do not, somebody else had the CPU. */
static void find_gaps(struct worker *w)
{
    uint64_t last = now_ns();
    uint64_t end = last + (uint64_t)(opt.gap_seconds * 1e9);

    while (last < end) {
        uint64_t now = now_ns();

        if (now - last > opt.gap_threshold && now - last <= opt.longest_gap) {
            samples_add(&w->gaps, now - last);
            w->gap_ns += now - last;
            now = now_ns(); /* the list's own growth is no gap */
        }
        last = now;
    }
}

static void *worker_main(void *argument)
{
    struct worker *w = argument;
    struct inprocess sampler = {0};
    uint64_t begin;

    if (opt.inprocess_hz != 0)
        inprocess_start(&sampler, opt.inprocess_hz);
    begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (opt.gap_seconds > 0)
        find_gaps(w);
    else
        compute(opt.iterations);
    w->cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    if (opt.inprocess_hz != 0)
        inprocess_stop(&sampler);
    w->samples = sampler.taken;
    w->overruns = sampler.overruns;
    return NULL;
}

static void run(struct worker *workers)
{
    for (long i = 1; i < opt.threads; i++)
        if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) != 0)
            die("pthread_create");
    worker_main(&workers[0]);
    for (long i = 1; i < opt.threads; i++)
        pthread_join(workers[i].thread, NULL);
}

/* Writes to a file, because the measured programs may print to standard output and standard error. */
static void report(struct worker *workers, uint64_t wall)
{
    FILE *out = opt.output == NULL ? stdout : fopen(opt.output, "we");
    struct worker sum = {0};

    if (out == NULL)
        die(opt.output);
    for (long i = 0; i < opt.threads; i++) {
        sum.cpu += workers[i].cpu;
        sum.samples += workers[i].samples;
        sum.overruns += workers[i].overruns;
        sum.gap_ns += workers[i].gap_ns;
        for (size_t k = 0; k < workers[i].gaps.count; k++)
            samples_add(&sum.gaps, workers[i].gaps.value[k]);
    }
    fprintf(out,
            "wall_ns=%llu cpu_ns=%llu process_cpu_ns=%llu samples=%llu overruns=%llu gaps=%zu gap_ns=%llu "
            "gap_median_ns=%u\n",
            (unsigned long long)wall, (unsigned long long)sum.cpu,
            (unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID), (unsigned long long)sum.samples,
            (unsigned long long)sum.overruns, sum.gaps.count, (unsigned long long)sum.gap_ns,
            samples_percentile(&sum.gaps, 50));
    if (fflush(out) != 0)
        die("writing the result");
}

static void usage(void)
{
    fputs("usage: workload [--iterations=N | --gaps=SECONDS] [--threshold=NS] [--inprocess=HZ] [--threads=N]\n"
          "                [--cpu=N] [--output=FILE]\n",
          stderr);
    exit(2);
}

static void parse(int argc, char **argv)
{
    static const struct option options[] = {
        {"iterations", required_argument, NULL, 'i'},
        {"gaps", required_argument, NULL, 'g'},
        {"threshold", required_argument, NULL, 't'},
        {"longest", required_argument, NULL, 'l'},
        {"inprocess", required_argument, NULL, 'p'},
        {"threads", required_argument, NULL, 'T'},
        {"cpu", required_argument, NULL, 'c'},
        {"output", required_argument, NULL, 'o'},
        {NULL, 0, NULL, 0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (option) {
        case 'i':
            opt.iterations = (uint64_t)parse_long(optarg, "--iterations", 1, 1000000000);
            break;
        case 'g':
            opt.gap_seconds = strtod(optarg, NULL);
            break;
        case 't':
            opt.gap_threshold = (uint64_t)parse_long(optarg, "--threshold", 100, 1000000000);
            break;
        case 'l':
            opt.longest_gap = (uint64_t)parse_long(optarg, "--longest", 100, 1000000000);
            break;
        case 'p':
            opt.inprocess_hz = parse_long(optarg, "--inprocess", 1, 100000);
            break;
        case 'T':
            opt.threads = parse_long(optarg, "--threads", 1, 1024);
            break;
        case 'c':
            opt.cpu = (int)parse_long(optarg, "--cpu", -1, 1023);
            break;
        case 'o':
            opt.output = optarg;
            break;
        default:
            usage();
        }
    }
    if (optind != argc)
        usage();
}

int main(int argc, char **argv)
{
    struct worker *workers;
    uint64_t begin;

    parse(argc, argv);
    workers = calloc((size_t)opt.threads, sizeof *workers);
    if (workers == NULL)
        die("calloc");
    if (opt.cpu >= 0)
        pin(0, opt.cpu);
    begin = now_ns();
    run(workers);
    report(workers, now_ns() - begin);
    free(workers);
    return 0;
}
