/* SPDX-License-Identifier: MIT
 *
 * Starts the tracer process. */
#ifndef LOOP_START_H
#define LOOP_START_H

#include "tracer/calls/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct channel;
struct error;

/* Options from the front. */
struct tracer_options {
    uint32_t rate;         /* samples per second, or RATE_AUTO */
    unsigned max_overhead; /* percent; 0: off */
    bool children;
    bool off;               /* sampling is off until COMMAND_ON */
    bool wall;              /* sample waiting threads, too */
    uint32_t stack_bytes;   /* maximum bytes of a stack to copy; 0: none */
    uint32_t stack_deepest; /* maximum bytes for stacks that turn out to be deeper */
    struct calls_options calls;
    const char *own_cpus; /* for cpus_widen */
    bool names;           /* the front wants to know units and containers */
};

/* Starts the tracer as a child process with its own session and name, and no descriptors except the channel's. TITLE,
 * TITLE_SIZE: location of this process's command line in memory; the tracer overwrites its copy. Returns its pid, or
 * -errno with ERROR set. */
pid_t tracer_start(struct channel *channel, const struct tracer_options *options, char *title, size_t title_size,
                   struct error *error);

#endif
