/* SPDX-License-Identifier: MIT
 *
 * How front and tracer communicate. The tracer writes messages (wire/message.h) into a ring in shared memory, which
 * the front reads at its own pace. A second ring is for questions, which must not queue behind messages. Commands
 * (wire/command.h) and their answers use a socket. */
#ifndef WIRE_CHANNEL_H
#define WIRE_CHANNEL_H

#include "common/base/ring.h"

#include <signal.h>

struct command;
struct error;

/* How long the tracer waits at exit, in total, for interrupted transfers to complete. */
#define TRACER_TRANSFERS_NS 30000000000ull

/* The signal that ends the tracer if its tracing thread sleeps forever: only a deadly signal interrupts that sleep. */
#define TRACER_GIVE_UP_SIGNAL SIGVTALRM

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
