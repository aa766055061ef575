/* SPDX-License-Identifier: MIT
 *
 * Cleans up when the tracer dies of its own fault, or of a signal with that effect. */
#ifndef TRACER_CRASH_H
#define TRACER_CRASH_H

#include "plant/rescue.h"

/* Installs handlers for such signals. When this process, with its one tracing thread, dies of one, that thread first
 * undoes the changes that RESCUE notes and detaches all stopped tracees. So no tracee dies with it. */
void crash_prepare(struct rescue *rescue);

#endif
