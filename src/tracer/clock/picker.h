/* SPDX-License-Identifier: MIT
 *
 * Finds the running threads. The cost of a tick grows with the number of running threads, not of all threads. Quiet
 * threads are looked at only when their process's clock shows more CPU time than its busy threads explain. Quiet
 * processes are looked at when their timer expires. If more threads run than a tick can look at, it looks at some of
 * them, and later ticks look at others (clock/scan.h). */
#ifndef CLOCK_PICKER_H
#define CLOCK_PICKER_H

#include "tracer/clock/state.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blocker;
struct process;

/* A thread that a tick may stop. */
struct candidate {
    struct thread *thread;
    struct schedstat before;
    int cpu;                /* it runs there or waits for it */
    bool guessed;           /* CPU is only where a displaced thread would be */
    bool certain;           /* it was on the CPU until the caller took it */
    int64_t unexplained_ns; /* of account_unexplained, at that time */
};

struct picker {
    struct table *table;
    struct candidate *items; /* of the present look */
    size_t count, room;
    uint64_t own_ran_ns; /* CPU time of the calling thread at its last sleep; set by the owner */
    int own_sched_fd;    /* the calling thread's */
    int taken_cpu; /* the CPU taken for this tick: only threads just displaced there count; -1: all threads are looked
                    * at */
    uint64_t taken_ns;        /* monotonic time at which it was taken; 0: unknown */
    uint64_t lack_ns;         /* usual time that a displaced thread's counts do not explain, see account_learn */
    bool sees_displaced;      /* "sched" shows which thread was displaced there */
    uint32_t contended_ticks; /* ticks for which other programs are assumed to compete for the CPUs */
    uint64_t paused_until_ns; /* monotonic time of the earliest next look, see clock/scan.h */
    bool is_crowd;            /* the last tick found no thread because there are too many to look at all of them */
    uint64_t vain_until_ns;   /* monotonic time until which ticks look only at the thread found last */
    const volatile sig_atomic_t *news; /* borrowed; not 0: events wait, and a look is interrupted */
    size_t looked;                     /* number of threads in the present look */
    uint64_t crowd_ran_ns; /* CPU time, between the last two looks, of processes with too many threads to know their
                            * CPUs */
    pid_t unfound;         /* a process that may have threads without an event; the owner resets it */
    uint64_t ran_ns;       /* sum of CPU time that threads were seen to use; the owner may reset it */
    uint64_t queued_ns;    /* sum of time that threads were seen to wait for a CPU */
    uint32_t random;
};

/* TABLE and NEWS are borrowed. PICKER keeps its memory until the process ends. */
void picker_start(struct picker *picker, struct table *table, const volatile sig_atomic_t *news);

/* Chooses the thread that was displaced on BLOCKER's CPU, which is blocked or is the caller's. Considers only threads
 * that were last seen there. Returns false if none was displaced. */
bool picker_choose(struct picker *picker, struct blocker *blocker, struct candidate *chosen);

/* How many threads of a process one look covers. */
enum { PICKER_THREADS = 256 };

/* How many of them are busy, if the process has more threads. */
enum crowd {
    CROWD_NONE,     /* few enough to look at all of them on each tick */
    CROWD_FULL,     /* another thread becomes busy only after running for long */
    CROWD_TOO_LARGE /* threads that have not run since the last look become quiet */
};

/* Looks at THREAD, of a process with size CROWD. Adds it to PICKER's items if it is running and may be stopped; a
 * thread that was asked to stop, only if a CPU was taken. Returns the CPU time that it has used since the last look. */
uint64_t picker_look_at(struct picker *picker, struct thread *thread, enum crowd crowd);

/* Returns true if ticks are wanted: a process is active. ASLEEP: any process that may be sampled counts. */
bool picker_any(const struct picker *picker, bool asleep);

/* A thread that was alone on its CPU had in fact waited there, for WAITED_NS. So others compete for this CPU: for a
 * while, such threads are looked at more closely before they are chosen. */
void picker_contended(struct picker *picker, uint64_t waited_ns);

/* Notes the counts NOW of THREAD. Returns the CPU time that it has used since they were last noted. */
uint64_t picker_note(struct picker *picker, struct thread *thread, const struct schedstat *now);

/* Reads THREAD's CPU time. Returns false if it is gone. */
bool picker_schedstat(struct thread *thread, struct schedstat *now);

/* Reads where THREAD is blocked. Returns false if it is not blocked, or is gone. */
bool picker_blocked(struct thread *thread, struct blocked *where);

/* Returns true if THREAD spends a good part of its CPU time in system calls, by the scheduler's rough accounting. */
bool picker_works_in_kernel(struct thread *thread);

/* Reads how many page faults THREAD has had. Returns false if it is gone. */
bool picker_faults(struct thread *thread, uint64_t *faults);

/* picker_activate makes PROCESS active, because it is new or has a new image. picker_timer_rang makes all processes
 * active whose clock has moved, because a timer expired. */
void picker_activate(struct process *process, uint64_t now_ns);
void picker_timer_rang(struct picker *picker, uint64_t now_ns);

#endif
