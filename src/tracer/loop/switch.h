/* SPDX-License-Identifier: MIT
 *
 * Switches sampling off and on again. */
#ifndef LOOP_SWITCH_H
#define LOOP_SWITCH_H

#include <stdbool.h>

struct tracer;

/* Switches sampling ON or off. While it is off, no thread is stopped for a sample, no timer ticks for one, and CPU
 * and waiting times do not count. The emulated calls go on. */
void switch_sampling(struct tracer *tracer, bool on);

#endif
