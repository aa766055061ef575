/* SPDX-License-Identifier: MIT
 *
 * One tick: choose, ask to stop, wait for the stop. */
#ifndef TRACER_TICK_H
#define TRACER_TICK_H

#include "tracer/tracer.h"

/* Serves the tick that is due. */
void tick_serve(struct tracer *tracer);

/* Plans the next one, or, if none is WANTED as there is nothing to sample, none. */
void tick_plan(struct tracer *tracer, bool wanted);

#endif
