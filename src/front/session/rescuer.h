/* SPDX-License-Identifier: MIT
 *
 * A thread of the front that sleeps until the tracer dies. It then removes the tracer's breakpoints at once, because a
 * program that reaches one would die. The front's main thread does all other cleanup. */
#ifndef SESSION_RESCUER_H
#define SESSION_RESCUER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct rescuer {
    struct shared *shared; /* borrowed */
    bool running;
    _Atomic uint32_t begun;
    pthread_t thread;
};

/* Starts the thread. Call it after the tracer has answered a command: then the tracer holds the mutex that the
 * thread waits for. After this call the thread allocates no memory, because the front forks. A child that is forked
 * while another thread holds a lock of the allocator may wait for it forever (the sanitizers' allocator copies such
 * locks). If the thread cannot be created, continues without it. */
void rescuer_start(struct rescuer *rescuer, struct shared *shared);

/* Call it after the tracer has ended. Waits until the thread has done its work. Then lets another thread do the
 * remaining cleanup with the same priority: otherwise it would take seconds on a busy machine. */
void rescuer_end(struct rescuer *rescuer, struct shared *shared);

#endif
