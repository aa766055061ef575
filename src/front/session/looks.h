/* SPDX-License-Identifier: MIT
 *
 * Looks of the tracer: one capture of every thread, and the calls of the threads that wait. */
#ifndef SESSION_LOOKS_H
#define SESSION_LOOKS_H

#include "common/wire/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

/* Zeroed: no look yet. */
struct looks {
    uint32_t asked, done; /* numbers of looks, from 1 */
    uint32_t missed;      /* threads that the last one could not capture */
    uint32_t requests;    /* commands that ask for more of a stack, such as the recipe of an interpreter */
    uint64_t began_ns;    /* monotonic time at which the last one began */
    struct {
        struct message_call *items;
        size_t count, room;
    } calls; /* of the last one */
};

void looks_fini(struct looks *looks);

/* Takes MESSAGE. Returns false if it is damaged. */
bool looks_call(struct looks *looks, const struct message_call *message);

/* Returns the call of thread TID, which waited at the last look, or NULL. */
const struct message_call *looks_find(const struct looks *looks, pid_t tid);

/* Lets the tracer capture every thread of SESSION, which takes no other samples. The last look counts: earlier ones
 * show which interpreter, maps and deeper stacks are needed. Returns 0, or -EINTR if the end was asked for, or -ECHILD
 * if the tracer has died. */
int looks_run(struct session *session);

#endif
