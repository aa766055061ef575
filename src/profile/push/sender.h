/* SPDX-License-Identifier: MIT
 *
 * The process that sends. It does not trace, and has none of the tracer's files open. */
#ifndef PUSH_SENDER_H
#define PUSH_SENDER_H

#include "common/base/child.h"

#include <stddef.h>

struct error;
struct push_options;

struct sender {
    int socket; /* to it; -1: it does not run */
    struct child child;
};

/* Starts the process for the targets of OPTIONS. HEADERS: see http_open. Returns 0, or -errno with ERROR set. */
int sender_start(struct sender *sender, const struct push_options *options, const char *headers, struct error *error);

/* Passes a request of SIZE BYTES for target number TARGET to the sending process. Children of the process that started
 * it may call this. Returns 0, or -errno: -EAGAIN if the sending process does not accept requests. */
int sender_give(const struct sender *sender, size_t target, const void *bytes, size_t size);

/* Gives the process a few seconds to send its requests. It then reports losses and ends. */
void sender_end(struct sender *sender);

#endif
