/* SPDX-License-Identifier: MIT */
/* The minimal ptrace sampler: INTERRUPT, wait, GETREGSET, CONT at a given rate, on the first thread of a command.
 * ptprofil's cost is compared with this, on the same CPUs and with the same source of ticks. */
#include "pacer.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    long hz;
    struct pacing how;
    bool session;
    const char *output;
} opt = {.hz = 1000, .how = {.source = TICK_THREAD, .placement = PLACE_SAME, .slice_us = 100, .hold_us = 100}};

struct tally {
    struct samples pauses;
    uint64_t moves;
    uint64_t cpu;
    uint64_t wall;
};

static void report(struct tally *t)
{
    FILE *out = opt.output == NULL ? stderr : fopen(opt.output, "we");
    size_t n = t->pauses.count;

    if (out == NULL)
        die(opt.output);
    fprintf(out,
            "samples=%zu wall_ns=%llu cpu_ns=%llu cpu_us_a_sample=%.2f pause_us=%.2f pause99_us=%.2f "
            "moves=%llu\n",
            n, (unsigned long long)t->wall, (unsigned long long)t->cpu, n == 0 ? 0 : (double)t->cpu / (double)n / 1e3,
            samples_percentile(&t->pauses, 50) / 1e3, samples_percentile(&t->pauses, 99) / 1e3,
            (unsigned long long)t->moves);
    fflush(out);
}

/* The command waits for a byte, so that it is seized before it becomes CMD. */
static pid_t launch(char **command, int *release)
{
    int pipe_fd[2];
    pid_t pid;
    char byte;

    if (pipe2(pipe_fd, O_CLOEXEC) != 0)
        die("pipe2");
    pid = fork();
    if (pid < 0)
        die("fork");
    if (pid == 0) {
        close(pipe_fd[1]);
        if (read(pipe_fd[0], &byte, 1) != 1)
            _exit(125);
        execvp(command[0], command);
        fprintf(stderr, "floor: %s: %s\n", command[0], strerror(errno));
        _exit(127);
    }
    close(pipe_fd[0]);
    *release = pipe_fd[1];
    return pid;
}

static uint64_t cpu_of(int who)
{
    struct rusage u;

    getrusage(who, &u);
    return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS_PER_S +
           (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

static int trace(char **command)
{
    struct tally t = {0};
    struct pacer p;
    int release, status;
    pid_t pid = launch(command, &release);
    uint64_t begin;

    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
        die("PTRACE_SEIZE");
    if (opt.session)
        setsid();
    pacer_open(&p, &opt.how, opt.hz, pid);
    if (write(release, "", 1) != 1)
        die("write");
    t.wall = now_ns();
    for (;;) {
        pacer_wait(&p);
        begin = now_ns();
        if (stop_once(&p, pid, &status) != STOP_DONE)
            break;
        samples_add(&t.pauses, now_ns() - begin);
        pacer_served(&p);
    }
    t.wall = now_ns() - t.wall;
    pacer_close(&p);
    t.cpu = cpu_of(RUSAGE_SELF);
    t.moves = p.moves;
    report(&t);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void usage(void)
{
    fputs("usage: floor [-F HZ] [-o FILE] [--tick=own|two|thread] [--place=free|other|same] [--hold=US] "
          "[--slice=US]\n"
          "             [--look=TICKS] [--spin] [--fifo] [--gate] [--even] [--session] -- CMD [ARG...]\n",
          stderr);
    exit(2);
}

static void parse_names(int option)
{
    int found = option == 't' ? tick_source_named(optarg) : placement_named(optarg);

    if (found < 0)
        usage();
    if (option == 't')
        opt.how.source = (enum tick_source)found;
    else
        opt.how.placement = (enum placement)found;
}

static void parse(int argc, char **argv)
{
    static const struct option options[] = {
        {"tick", required_argument, NULL, 't'},
        {"place", required_argument, NULL, 'p'},
        {"hold", required_argument, NULL, 'h'},
        {"slice", required_argument, NULL, 's'},
        {"look", required_argument, NULL, 'l'},
        {"spin", no_argument, NULL, 'S'},
        {"fifo", no_argument, NULL, 'f'},
        {"gate", no_argument, NULL, 'g'},
        {"even", no_argument, NULL, 'e'},
        {"session", no_argument, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "+F:o:", options, NULL)) != -1) {
        switch (option) {
        case 'F':
            opt.hz = parse_long(optarg, "-F", 1, 100000);
            break;
        case 'o':
            opt.output = optarg;
            break;
        case 't':
        case 'p':
            parse_names(option);
            break;
        case 'h':
            opt.how.hold_us = (unsigned)parse_long(optarg, "--hold", 0, 10000);
            break;
        case 's':
            opt.how.slice_us = (unsigned)parse_long(optarg, "--slice", 0, 100000);
            break;
        case 'l':
            opt.how.look_every = (unsigned)parse_long(optarg, "--look", 1, 100000);
            break;
        case 'S':
            opt.how.spin = true;
            break;
        case 'f':
            opt.how.fifo = true;
            break;
        case 'g':
            opt.how.gate = true;
            break;
        case 'e':
            opt.how.even = true;
            break;
        case 'n':
            opt.session = true;
            break;
        default:
            usage();
        }
    }
    if (optind == argc)
        usage();
}

/* The tracer is a process of its own, so that it can be in a session of its own: the command stays in the
 * caller's. */
int main(int argc, char **argv)
{
    pid_t tracer;
    int status;

    parse(argc, argv);
    tracer = fork();
    if (tracer < 0)
        die("fork");
    if (tracer == 0)
        exit(trace(argv + optind));
    if (waitpid(tracer, &status, 0) != tracer)
        die("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
