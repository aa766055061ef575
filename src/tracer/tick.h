/* SPDX-License-Identifier: MIT
 *
 * One tick: choose, ask to stop, wait for the stops, plan the next. */
#ifndef TRACER_TICK_H
#define TRACER_TICK_H

#include "tracer/tracer.h"

/* Serves a tick that was to wake us at monotonic time INSTANT_NS. */
void tick_serve(struct tracer *tracer, uint64_t instant_ns);

#endif
