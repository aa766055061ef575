/* SPDX-License-Identifier: MIT
 *
 * Who is running. The cost of a tick follows the number of threads that run, not of all: quiet threads are looked at
 * only when their process's clock shows more than the busy ones explain, quiet processes when their alarm rings. */
#ifndef CLOCK_PICKER_H
#define CLOCK_PICKER_H

#include "clock/holders.h"
#include "clock/state.h"

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

struct picker {
    struct table *table;
    struct candidate *items; /* of the look in hand */
    size_t count, room;
    uint64_t own_ran_ns; /* how long the calling thread had run, in all, when it last slept; set by the owner */
    int own_sched_fd;    /* the calling thread's */
    int taken_cpu; /* that was taken for the tick in hand: only threads that were just displaced are wanted; -1: a look
                      at all */
    uint32_t contended_ticks; /* ticks for which other programs are taken to compete for the CPUs */
    uint64_t ran_ns;          /* time that threads were seen to have run, added up; the owner may reset it */
    uint32_t random;
};

/* TABLE is borrowed. What PICKER holds it holds until the process ends, as the tracer does. */
void picker_start(struct picker *picker, struct table *table);

/* Chooses the thread that was displaced on HOLDER's CPU, which that holds, or on which the caller is. Looks only at
 * threads that were last seen there. Returns false if none of them was. */
bool picker_choose(struct picker *picker, struct holder *holder, struct candidate *chosen);

/* Looks at all active processes at monotonic time NOW_NS, and puts those that have gone quiet to rest. What runs, and
 * where, is in PICKER's items. */
void picker_look(struct picker *picker, uint64_t now_ns);

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
