/* SPDX-License-Identifier: MIT
 *
 * The means by which front and tracer talk. The tracer writes messages (wire/message.h) into a ring in shared memory,
 * which the front reads when it likes; a second ring is for questions, which must not wait behind them; commands
 * (wire/command.h) and their answers go over a socket. */
#ifndef WIRE_CHANNEL_H
#define WIRE_CHANNEL_H

#include "base/error.h"
#include "base/ring.h"
#include "wire/command.h"
#include "model/counters.h"
#include "wire/message.h"
#include "wire/rescue_notes.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

/* So long, in all, the tracer waits before it ends for the rests of transfers that proceed. */
#define TRACER_RESTS_NS 30000000000ull

/* The signal that ends the tracer when its tracing thread is asleep for good: nothing but a deadly one breaks that. */
#define TRACER_GIVE_UP_SIGNAL SIGVTALRM

/* Shared memory beside the ring. */
struct shared {
    _Atomic uint32_t wake;           /* futex: the tracer sleeps on it; changes whenever there is something to do */
    _Atomic uint32_t commands;       /* commands ever sent */
    _Atomic uint32_t front_notified; /* the front was told that the ring has something for it */
    _Atomic uint32_t front_stopped;  /* the front has stopped itself because the command was stopped */
    _Atomic pid_t command;           /* pid of the command */
    _Atomic uint64_t began_ns;       /* monotonic time of the command's first instruction */
    _Atomic uint32_t rests;          /* transfers whose rest the tracer waits for, before it ends */
    _Atomic uint32_t stragglers;     /* threads that the tracer, which has told all, cannot let go yet */
    _Atomic uint64_t ended_ns;       /* monotonic time at which sampling ended; 0: not yet */
    struct tracer_counts counts;
    struct calls_counts calls;
    pthread_mutex_t life; /* robust: the tracing thread has it from its beginning to its end */
    struct rescue rescue; /* what to put back if the tracer dies */
};

/* The means that both have. The tracer's ends are closed in the front and the reverse. */
struct channel {
    struct ring ring;
    struct ring questions;
    struct shared *shared;
    int ready; /* eventfd: written by the tracer when the front should read the rings */
    int front_socket, tracer_socket;
};

/* Maps the shared memory and makes the descriptors that front and tracer have in common. All are close-on-exec.
 * Returns 0 or -errno with ERROR set. */
int channel_open(struct channel *channel, struct error *error);
void channel_close(struct channel *channel);

/* The front's: sends COMMAND to the tracer. */
void channel_command(struct channel *channel, const struct command *command);

#endif
