/* SPDX-License-Identifier: MIT
 *
 * Memory that front and tracer share, beside the rings. */
#ifndef WIRE_SHARED_H
#define WIRE_SHARED_H

#include "common/model/counters.h"
#include "common/wire/rescue_notes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

struct shared {
    _Atomic uint32_t wake;           /* futex on which the tracer sleeps; changes whenever the tracer has work */
    _Atomic uint32_t commands;       /* commands ever sent */
    _Atomic uint32_t front_notified; /* the front has been woken to read the ring */
    _Atomic uint32_t front_stopped;  /* the front has stopped itself because the command was stopped */
    _Atomic pid_t command;           /* pid of the command */
    _Atomic uint32_t command_over;   /* futex; not 0: the tracer has read its last CPU time */
    _Atomic uint64_t began_ns;       /* monotonic time of the command's first instruction */
    _Atomic uint32_t remainders;     /* transfers that the tracer waits for before it ends */
    _Atomic uint32_t stragglers; /* threads that the tracer cannot release yet, although it has reported everything */
    _Atomic uint64_t ended_ns;   /* monotonic time at which sampling ended; 0: not yet */
    struct tracer_counts counts;
    struct calls_counts calls;
    pthread_mutex_t life; /* robust: the tracing thread has it from its beginning to its end */
    struct rescue rescue; /* data for undoing the tracer's changes if it dies */
};

#endif
