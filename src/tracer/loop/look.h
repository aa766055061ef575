/* SPDX-License-Identifier: MIT
 *
 * Looks: COMMAND_LOOK asks for one capture of every thread, whatever it does. A thread that waits is copied where it
 * is; any other is stopped for as long as a sample. Nothing is billed: these captures have no CPU time. */
#ifndef LOOP_LOOK_H
#define LOOP_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct thread;
struct tracer;

struct look {
    uint32_t number; /* of the last look, counted from 1 */
    bool is_open;
    uint64_t until_ns; /* monotonic time at which it ends without the threads that are left */
};

void look_begin(struct tracer *tracer);

/* Goes on with the present look, and ends it when all threads have been captured. Returns the monotonic time of the
 * next call, UNTIL_NS at the latest (0: never). */
uint64_t look_serve(struct tracer *tracer, uint64_t until_ns);

/* THREAD has stopped as the look asked. */
void look_stopped(struct tracer *tracer, struct thread *thread);

#endif
