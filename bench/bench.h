/* SPDX-License-Identifier: MIT */
/* What the programs of bench/ share: time, placement, the fixed work and the in-process sampler. */
#ifndef BENCH_H
#define BENCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define NS_PER_S 1000000000ull

uint64_t clock_ns(clockid_t clock);
uint64_t now_ns(void);
struct timespec to_timespec(uint64_t ns);
void sleep_until(uint64_t ns);

/* Ends the program with a message: these are experiments, a failed step makes the numbers worthless. */
_Noreturn void die(const char *what);
long parse_long(const char *text, const char *what, long low, long high);

/* Placement of a thread (tid 0: the caller). A negative cpu means every CPU that the program started with. */
void pin(pid_t tid, int cpu);
void pin_but(pid_t tid, int cpu);
/* A scheduler slice of slice_ns for the calling thread (Linux 6.12 and later; 0 leaves it). False if refused.
 */
bool set_slice(uint64_t slice_ns);

/* Opens /proc/PID/task/TID/stat, and reads the CPU where the thread runs or last ran. */
int open_stat(pid_t pid, pid_t tid);
int read_cpu(int stat_fd);

/* A growing list of numbers with its percentiles. */
struct samples {
    uint32_t *value;
    size_t count;
    size_t room;
};
void samples_add(struct samples *s, uint64_t value);
uint32_t samples_percentile(struct samples *s, unsigned percent);

/* The fixed work: integer arithmetic under some calls, the same every time. */
void compute(uint64_t iterations);

/* The in-process sampler: a monotonic timer, SIGPROF to the calling thread, the handler stores the PC. */
struct inprocess {
    timer_t timer;
    volatile uint64_t taken;
    volatile uint64_t overruns;
};
void inprocess_start(struct inprocess *sampler, long hz);
void inprocess_stop(struct inprocess *sampler);

#endif
