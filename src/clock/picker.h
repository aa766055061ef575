/* SPDX-License-Identifier: MIT
 *
 * Finds the running threads. The cost of a tick grows with the number of running threads, not of all threads: quiet
 * threads are looked at only when their process's clock shows more than its busy threads explain, quiet processes
 * when their alarm rings. If more threads run than a tick can look at, it looks at some of them, and later ticks
 * look at others (clock/scan.h). */
#ifndef CLOCK_PICKER_H
#define CLOCK_PICKER_H

#include "clock/holders.h"
#include "clock/state.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread that a tick may stop. */
struct candidate {
    struct thread *thread;
    struct schedstat before;
    int cpu;      /* it runs there or waits for it */
    bool certain; /* it was on the CPU until the caller took it */
};

struct picker {
    struct table *table;
    struct candidate *items; /* of the look in hand */
    size_t count, room;
    uint64_t own_ran_ns; /* how long the calling thread had run, in all, when it last slept; set by the owner */
    int own_sched_fd;    /* the calling thread's */
    int taken_cpu; /* the CPU taken for this tick: only threads just displaced there are wanted; -1: all threads are
                      looked at */
    uint32_t contended_ticks;          /* ticks for which other programs are assumed to compete for the CPUs */
    uint64_t paused_until_ns;          /* monotonic time of the earliest next look, see clock/scan.h */
    const volatile sig_atomic_t *news; /* borrowed; not 0: events wait, and a look is interrupted */
    size_t looked;                     /* threads, in the look in hand */
    uint64_t crowd_ran_ns; /* time between the last two looks that processes ran of which a look sees too few threads to
                              know on which CPU */
    pid_t unfound;         /* a process that may have threads of which no event told; the owner resets it */
    uint64_t ran_ns;       /* time that threads were seen to have run, added up; the owner may reset it */
    uint32_t random;
};

/* TABLE and NEWS are borrowed. What PICKER holds it holds until the process ends, as the tracer does. */
void picker_start(struct picker *picker, struct table *table, const volatile sig_atomic_t *news);

/* Chooses the thread that was displaced on HOLDER's CPU, which is blocked or is the caller's. Considers only threads
 * that were last seen there. Returns false if none was displaced. */
bool picker_choose(struct picker *picker, struct holder *holder, struct candidate *chosen);

/* How many threads of a process are looked at in one look. */
enum { PICKER_THREADS = 256 };

/* How many of them are busy. */
enum crowd {
    CROWD_NONE,     /* so few that all can be looked at on each tick */
    CROWD_FULL,     /* so many busy threads that another one becomes busy only after running for long */
    CROWD_TOO_LARGE /* so many that threads which have not run since the last look become quiet */
};

/* Looks at THREAD, whose process has the size CROWD, and adds it to PICKER's items if it is running and may be
 * stopped. Returns the time that it has run since the last look at it. */
uint64_t picker_look_at(struct picker *picker, struct thread *thread, enum crowd crowd);

/* True if ticks are wanted: some process is active or, ASLEEP, may be sampled although it is not. */
bool picker_any(const struct picker *picker, bool asleep);

/* A thread that was alone on its CPU turned out to have waited there, for WAITED_NS: others compete for it, and for a
 * while such threads are looked at more closely before they are chosen. */
void picker_contended(struct picker *picker, uint64_t waited_ns);

/* Reads what THREAD has run. False when it is gone. */
bool picker_schedstat(struct thread *thread, struct schedstat *now);

/* Reads where THREAD is blocked. False when it is not, or is gone. */
bool picker_blocked(struct thread *thread, struct blocked *where);

/* True if THREAD spends a good part of its CPU time in system calls, by the scheduler's rough account. */
bool picker_works_in_kernel(struct thread *thread);

/* Reads how many page faults THREAD has had. False when it is gone. */
bool picker_faults(struct thread *thread, uint64_t *faults);

/* PROCESS is new or has a new image, or an alarm has rung. Makes all threads active whose clock moved, except those
 * that cannot be sampled; their CPU time is read from their clocks when they end. */
void picker_activate(struct process *process, uint64_t now_ns);
void picker_timer_rang(struct picker *picker, uint64_t now_ns);

#endif
