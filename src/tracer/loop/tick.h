/* SPDX-License-Identifier: MIT
 *
 * One tick: choose, ask to stop, wait for the stop. */
#ifndef LOOP_TICK_H
#define LOOP_TICK_H

struct tracer;

/* Serves the tick that is due, if one is. */
void tick_serve(struct tracer *tracer);

#endif
