/* SPDX-License-Identifier: MIT
 *
 * This layer's state for threads and processes. */
#ifndef CLOCK_STATE_H
#define CLOCK_STATE_H

#include "common/model/account.h"

#include <time.h>

struct clock_thread {
    struct thread_account account;
    int cpu;          /* the CPU where it was last seen running; -1: none */
    int real_time;    /* its priority at the last close look; 0: not a real-time thread */
    bool place_known; /* its last stop showed that it was on the tick's CPU */
    bool busy;        /* looked at on every tick */
};

struct clock_process {
    struct process_account account;
    timer_t timer;
    bool has_timer;       /* it exists */
    bool active;          /* its clock moved lately, so every tick looks at it */
    uint32_t quiet_ticks; /* ticks since its clock moved */
    uint64_t unfound_ns;  /* CPU time used while looks may have missed a thread, see the picker's unfound */
    uint32_t ticks_since_scan, scans_in_a_row;
    pid_t next_busy, next_quiet; /* threads at which interrupted looks (busy, quiet) continue; 0: the first one */
    pid_t near; /* the thread that a tick found last; of many threads, those near it are looked at first */
    uint32_t scan_ticks_left; /* remaining ticks that look at all threads, because work moves between them */
};

/* The state of a new thread: busy. */
extern const struct clock_thread clock_thread_initial;

#endif
