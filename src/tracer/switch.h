/* SPDX-License-Identifier: MIT
 *
 * Sampling is switched off and on again. */
#ifndef TRACER_SWITCH_H
#define TRACER_SWITCH_H

#include "tracer/tracer.h"

/* Takes samples from now on, or takes none: then no thread is stopped for one, no timer ticks for one, and what is used
 * and waited counts nowhere. The calls go on. */
void switch_sampling(struct tracer *tracer, bool on);

#endif
