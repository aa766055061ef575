/* SPDX-License-Identifier: MIT
 *
 * The means by which front and tracer talk. */
#ifndef TRACER_CHANNEL_H
#define TRACER_CHANNEL_H

#include "base/error.h"
#include "tracer/protocol.h"

/* Maps the shared memory and makes the descriptors that front and tracer have in common. All are close-on-exec.
 * Returns 0 or -errno with ERROR set. */
int channel_open(struct channel *channel, struct error *error);
void channel_close(struct channel *channel);

/* The front's: sends COMMAND to the tracer. */
void channel_command(struct channel *channel, const struct command *command);

#endif
