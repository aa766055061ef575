/* SPDX-License-Identifier: MIT
 *
 * Makes sure that a tracee's memory cannot block the tracing thread forever. A small thread looks at that thread twice
 * a second while it takes ticks, and sleeps while it sleeps for longer. */
#ifndef CLOCK_WATCHDOG_H
#define CLOCK_WATCHDOG_H

#include "common/base/wake.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct watchdog {
    pthread_t thread;
    pid_t watched;           /* tid of the tracing thread */
    _Atomic pid_t tid;       /* of the watchdog; 0 until it runs */
    struct wake_turn turn;   /* for the watchdog: the tracing thread works again */
    _Atomic uint32_t sleeps; /* how often the tracing thread has begun its own sleep */
    _Atomic bool works;      /* it is not in that sleep; */
    _Atomic bool parked;     /* the watchdog sleeps and must be woken */
};

/* Starts the watchdog of the calling thread. Returns 0 or -errno. */
int watchdog_start(struct watchdog *watchdog);

/* The calling thread, which is watched, begins and ends a sleep of its own. */
void watchdog_sleep(struct watchdog *watchdog);
void watchdog_wake(struct watchdog *watchdog);

#endif
