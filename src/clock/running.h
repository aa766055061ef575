/* SPDX-License-Identifier: MIT
 *
 * Who is running. The cost of a tick follows the number of threads that run, not of all: quiet threads are looked at
 * only when their process's clock shows more than the busy ones explain, quiet processes only when their alarm rings. */
#ifndef CLOCK_RUNNING_H
#define CLOCK_RUNNING_H

#include "tracee/table.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread that a tick may stop. */
struct candidate {
    struct thread *thread;
    struct schedstat before;
    int cpu;      /* that it is on or waits for */
    bool certain; /* it was on the CPU until the caller took it */
};

struct running {
    struct table *table;
    struct candidate *items; /* of the tick in hand */
    size_t count, room;
    int cpus_running;      /* different CPUs that threads were found to be on, or wait for, at the last tick */
    int last_cpu;          /* one of these */
    uint64_t own_ran_ns;   /* how long the calling thread had run, in all, when it last slept; set by the owner */
    bool only_own;         /* only the caller's CPU is sampled; set by the owner */
    bool rivalry;          /* several threads wanted the caller's CPU at the last full look */
    pid_t last;            /* thread that was chosen last on the caller's CPU; 0: none */
    uint32_t looks;        /* ticks so far */
    int own_cpu;           /* of the caller, at the tick in hand */
    int own_sched_fd;      /* the calling thread's */
    uint32_t contended_ticks; /* ticks for which other programs are taken to compete for the CPUs */
    uint64_t ran_ns; /* time that threads were seen to have run, added up; the owner may reset it */
    uint32_t random;
};

/* TABLE is borrowed. What RUNNING holds it holds until the process ends, as the tracer does. */
void running_start(struct running *running, struct table *table);

/* Looks at all active processes at monotonic time NOW_NS, puts those that have gone quiet to rest, and chooses at most
 * one thread for each CPU that is on it now, as far as can be told. OWN_CPU is the caller's; a thread
 * that it displaced counts as being on it. Threads of the CPUs in SKIPPED are not chosen. The choice, at most LIMIT long, is put into CHOSEN; returns its length. The caller's own CPU's,
 * if any, is the last. */
size_t running_choose(struct running *running, uint64_t now_ns, int own_cpu, const cpu_set_t *skipped,
                      struct candidate *chosen, size_t limit);

/* True if ticks are wanted: some process is active or, ASLEEP, may be sampled although it is not. */
bool running_any(const struct running *running, bool asleep);

/* A thread that was alone on the caller's CPU turned out to have waited there: others compete for it, and for a while
 * such threads are looked at more closely before they are chosen. */
void running_contended(struct running *running);

/* Reads what THREAD has run. False when it is gone. */
bool running_schedstat(struct thread *thread, struct schedstat *now);

/* Reads where THREAD is blocked. False when it is not, or is gone. */
bool running_blocked(struct thread *thread, struct blocked *where);

/* True if THREAD spends a good part of its CPU time in system calls, by the scheduler's rough account. */
bool running_works_in_kernel(struct thread *thread);

/* PROCESS is new or has a new image, or an alarm has rung: all whose clock moved are active again, but for those that
 * cannot be sampled. Their CPU time is told by their clocks when they end. */
void running_activate(struct process *process, uint64_t now_ns);
void running_alarm(struct running *running, uint64_t now_ns);

#endif
