/* SPDX-License-Identifier: MIT
 *
 * What can be read of a thread before it has stopped. A thread that was displaced from its CPU executes no instruction
 * of its program from then until it stops. It needs some microseconds for that, in which the tracer on another CPU only
 * waits. So its memory map and its stack are looked at then, and its stop is shorter. If the thread stops elsewhere
 * than expected, they are looked at in the stop. */
#ifndef LOOP_AHEAD_H
#define LOOP_AHEAD_H

#include "tracer/tracee/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread;
struct tracer;

struct ahead {
    pid_t tid;                     /* the thread; 0: none */
    uint64_t maps_start, maps_end; /* the maps between these addresses were compared with the present ones; 0: none */
    bool maps_outdated;            /* and a difference was found */
    struct memory_pages pages;     /* of its stack */
};

/* THREAD, on another CPU than the caller's, has been displaced and asked to stop. */
void ahead_look(struct tracer *tracer, const struct thread *thread);

/* The wait for the stop is over. */
void ahead_end(struct tracer *tracer);

#endif
