/* SPDX-License-Identifier: MIT
 *
 * The process that sends. It traces nothing and has nothing of the tracer open. */
#ifndef PUSH_SENDER_H
#define PUSH_SENDER_H

#include "base/child.h"
#include "base/error.h"
#include "push/target.h"

#include <stddef.h>

struct sender {
    int socket; /* to it; -1: it does not run */
    struct child child;
};

/* Starts the process for the targets of OPTIONS. HEADERS: see http_open. Returns 0, or -errno with ERROR set. */
int sender_start(struct sender *sender, const struct push_options *options, const char *headers, struct error *error);

/* Gives SIZE BYTES to the process, a request for target number TARGET. May be called in children of the process that
 * started it. Returns 0, or -errno: -EAGAIN if it does not take anything. */
int sender_give(const struct sender *sender, size_t target, const void *bytes, size_t size);

/* Lets the process send what it has for a few seconds, report losses, and end. */
void sender_end(struct sender *sender);

#endif
