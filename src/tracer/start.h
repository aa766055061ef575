/* SPDX-License-Identifier: MIT
 *
 * How the tracer process comes to be. */
#ifndef TRACER_START_H
#define TRACER_START_H

#include "base/error.h"
#include "calls/options.h"
#include "wire/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the front gives the tracer at its start. */
struct tracer_options {
    uint32_t rate;         /* samples a second, or RATE_AUTO */
    unsigned max_overhead; /* percent; 0: off */
    bool children;
    bool off;               /* it begins with COMMAND_ON */
    bool wall;              /* waiting threads are sampled, too */
    uint32_t stack_bytes;   /* most of the stack that is copied; 0: none */
    uint32_t stack_deepest; /* the same of stacks that prove deeper */
    struct calls_options calls;
    const char *own_cpus; /* as cpus_widen takes them */
};

/* Starts the tracer as a child process: its own session, none of our descriptors but the channel's, a name of its own.
 * TITLE, TITLE_SIZE: where the command line of this process lies, to be overwritten there. Returns its pid, or -errno
 * with ERROR set. */
pid_t tracer_start(struct channel *channel, const struct tracer_options *options, char *title, size_t title_size,
                   struct error *error);

#endif
