/* SPDX-License-Identifier: MIT
 *
 * One tick: choose, ask to stop, wait for the stop. */
#ifndef TRACER_TICK_H
#define TRACER_TICK_H

#include "tracer/tracer.h"

/* Serves the tick that is due, if one is. */
void tick_serve(struct tracer *tracer);

#endif
