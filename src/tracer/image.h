/* SPDX-License-Identifier: MIT
 *
 * Images of processes, told to the front as they begin and end. */
#ifndef TRACER_IMAGE_H
#define TRACER_IMAGE_H

#include "tracer/tracer.h"

/* PROCESS begins a new image, which its number and generation name, with THREAD. FRESH: what was used before is not the
 * image's; it is where the process begins with it. */
void image_begins(struct tracer *tracer, struct process *process, struct thread *thread, bool fresh);

/* The image of PROCESS ends, or, ALIVE, goes on without us. */
void image_ends(struct tracer *tracer, struct process *process, bool alive);

/* PROCESS, whose former one is freed, has INTERP from now on; NULL: none. */
void image_set_interp(struct process *process, struct interp *interp);

#endif
