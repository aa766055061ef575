/* SPDX-License-Identifier: MIT
 *
 * Cleans up when the tracer dies of its own fault, or of a signal with that effect. */
#ifndef LOOP_CRASH_H
#define LOOP_CRASH_H

struct rescue;

/* Installs handlers for such signals. When this process, with its one tracing thread, dies of one, that thread first
 * undoes the changes that RESCUE notes and detaches all stopped tracees. So no tracee dies with it. */
void crash_prepare(struct rescue *rescue);

#endif
