/* SPDX-License-Identifier: MIT
 *
 * How front and tracer communicate. The tracer writes messages (wire/message.h) into a ring in shared memory, which
 * the front reads at its own pace. A second ring is for questions, which must not queue behind messages. Commands
 * (wire/command.h) and their answers use a socket. */
#ifndef WIRE_CHANNEL_H
#define WIRE_CHANNEL_H

#include "common/base/error.h"
#include "common/base/ring.h"
#include "common/model/counters.h"
#include "common/wire/command.h"
#include "common/wire/message.h"
#include "common/wire/rescue_notes.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

/* How long the tracer waits at exit, in total, for interrupted transfers to complete. */
#define TRACER_TRANSFERS_NS 30000000000ull

/* The signal that ends the tracer if its tracing thread sleeps forever: only a deadly signal interrupts that sleep. */
#define TRACER_GIVE_UP_SIGNAL SIGVTALRM

/* Shared memory beside the ring. */
struct shared {
    _Atomic uint32_t wake;           /* futex on which the tracer sleeps; changes whenever the tracer has work */
    _Atomic uint32_t commands;       /* commands ever sent */
    _Atomic uint32_t front_notified; /* the front has been woken to read the ring */
    _Atomic uint32_t front_stopped;  /* the front has stopped itself because the command was stopped */
    _Atomic pid_t command;           /* pid of the command */
    _Atomic uint64_t began_ns;       /* monotonic time of the command's first instruction */
    _Atomic uint32_t remainders;     /* transfers that the tracer waits for before it ends */
    _Atomic uint32_t stragglers; /* threads that the tracer cannot release yet, although it has reported everything */
    _Atomic uint64_t ended_ns;   /* monotonic time at which sampling ended; 0: not yet */
    struct tracer_counts counts;
    struct calls_counts calls;
    pthread_mutex_t life; /* robust: the tracing thread has it from its beginning to its end */
    struct rescue rescue; /* data for undoing the tracer's changes if it dies */
};

/* The ends of both processes. The front closes the tracer's ends, and the tracer closes the front's. */
struct channel {
    struct ring ring;
    struct ring questions;
    struct shared *shared;
    int ready; /* eventfd; the tracer writes to it when the front should read the rings */
    int front_socket, tracer_socket;
};

/* Maps the shared memory and makes the descriptors for front and tracer, all close-on-exec. Returns 0 or -errno with
 * ERROR set. */
int channel_open(struct channel *channel, struct error *error);
void channel_close(struct channel *channel);

/* For the front: sends COMMAND to the tracer. */
void channel_command(struct channel *channel, const struct command *command);

#endif
