/* SPDX-License-Identifier: MIT
 *
 * Reports to the front when images of processes begin and end. */
#ifndef LOOP_IMAGE_H
#define LOOP_IMAGE_H

#include "tracer/loop/tracer.h"

/* PROCESS begins a new image in THREAD. Its number and generation are set. FRESH: CPU time used before does not belong
 * to the image. (It does if the process itself begins with this image.) */
void image_begins(struct tracer *tracer, struct process *process, struct thread *thread, bool fresh);

enum image_end {
    IMAGE_EXITS,
    IMAGE_REPLACED, /* ended by exec: the process has the new program's name already */
    IMAGE_LEFT,     /* it continues without a tracer */
};

/* PROCESS is about to end, or has ended and is not reaped: reads what cannot be read later. Only the first call for a
 * process has an effect. TID: its last thread at the exit stop, or 0. */
void image_exits(struct process *process, pid_t tid);

/* The image of PROCESS ends, or PROCESS is no longer traced. */
void image_ends(struct tracer *tracer, struct process *process, enum image_end end);

/* Gives INTERP (NULL: none) to PROCESS, and frees its old one. */
void image_set_interp(struct process *process, struct interp *interp);

/* Reports, once for each image, that WHAT does not work for PROCESS, because of errno ERROR. */
void image_report_trouble(struct tracer *tracer, struct process *process, enum trouble what, int error);

#endif
