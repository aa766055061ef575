/* SPDX-License-Identifier: MIT
 *
 * The tracer dies of a fault of its own, or of a signal that ends programs like that. */
#ifndef TRACER_CRASH_H
#define TRACER_CRASH_H

#include "plant/rescue.h"

/* From now on, when this process, which has one tracing thread, dies of such a signal, that thread first puts back what
 * RESCUE notes, and lets go of all that has stopped: nobody dies with it. */
void crash_prepare(struct rescue *rescue);

#endif
