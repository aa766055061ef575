/* SPDX-License-Identifier: MIT
 *
 * Who is running. The cost of a tick follows the number of threads that run, not of all: quiet threads are looked at
 * only when their process's clock shows more than the busy ones explain, quiet processes when their alarm rings. Where
 * more threads run than a tick can look at, those that it looks at are some of them, and others later (clock/scan.h).
 */
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
    int cpu;      /* that it is on or waits for */
    bool certain; /* it was on the CPU until the caller took it */
};

struct picker {
    struct table *table;
    struct candidate *items; /* of the look in hand */
    size_t count, room;
    uint64_t own_ran_ns; /* how long the calling thread had run, in all, when it last slept; set by the owner */
    int own_sched_fd;    /* the calling thread's */
    int taken_cpu; /* that was taken for the tick in hand: only threads that were just displaced are wanted; -1: a look
                      at all */
    uint32_t contended_ticks;          /* ticks for which other programs are taken to compete for the CPUs */
    uint64_t rests_until_ns;           /* monotonic time before which there is no look at all: see clock/scan.h */
    const volatile sig_atomic_t *news; /* borrowed; not 0: events wait, for which a look is broken off */
    size_t looked;                     /* threads, in the look in hand */
    uint64_t crowd_ran_ns; /* that processes ran between the last two looks of whose threads a look sees too few to tell
                              where */
    uint64_t ran_ns;       /* time that threads were seen to have run, added up; the owner may reset it */
    uint32_t random;
};

/* TABLE and NEWS are borrowed. What PICKER holds it holds until the process ends, as the tracer does. */
void picker_start(struct picker *picker, struct table *table, const volatile sig_atomic_t *news);

/* Chooses the thread that was displaced on HOLDER's CPU, which that holds, or on which the caller is. Looks only at
 * threads that were last seen there. Returns false if none of them was. */
bool picker_choose(struct picker *picker, struct holder *holder, struct candidate *chosen);

/* So many threads of a process can be looked at at once. */
enum { PICKER_THREADS = 256 };

/* How many of them are busy. */
enum crowd {
    CROWD_NONE,     /* so few that all can be looked at on each tick */
    CROWD_FULL,     /* so many that no other becomes so unless it has run for long */
    CROWD_TOO_LARGE /* so many that those that have not run since the last look are so no more */
};

/* Looks at THREAD, of whose process CROWD holds, and adds it to PICKER's items if it is running and may be stopped.
 * Returns the time that it has run since it was last looked at. */
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

/* PROCESS is new or has a new image, or an alarm has rung: all whose clock moved are active again, but for those that
 * cannot be sampled. Their CPU time is told by their clocks when they end. */
void picker_activate(struct process *process, uint64_t now_ns);
void picker_timer_rang(struct picker *picker, uint64_t now_ns);

#endif
