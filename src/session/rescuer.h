/* SPDX-License-Identifier: MIT
 *
 * A thread of the front that sleeps until the tracer dies, and at once restores what the tracer had planted, because
 * a program that reaches a breakpoint meanwhile dies. Other cleanup is left to the front's main thread. */
#ifndef SESSION_RESCUER_H
#define SESSION_RESCUER_H

#include "wire/channel.h"

#include <pthread.h>

struct rescuer {
    struct shared *shared; /* borrowed */
    bool running;
    _Atomic uint32_t begun;
    pthread_t thread;
};

/* To be called once the tracer has answered a command: by then it holds the mutex that the thread waits for. The
 * thread allocates no memory once this has returned: the front makes children, and who is forked while another thread
 * has a lock of the allocator may wait for it for ever (the sanitizers' allocator lets its locks be copied so).
 * Continues without the thread if it cannot be created. */
void rescuer_start(struct rescuer *rescuer, struct shared *shared);

/* Once the tracer has ended: waits until the thread has done its work, and has another do what is left, as urgently: on
 * a busy machine that would take seconds otherwise. */
void rescuer_end(struct rescuer *rescuer, struct shared *shared);

#endif
