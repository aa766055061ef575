/* SPDX-License-Identifier: MIT
 *
 * What is mapped where in the tracees: read while a thread is stopped, forwarded to the front when it changed. */
#ifndef TRACER_MAPS_H
#define TRACER_MAPS_H

#include "tracer/tracer.h"

/* Reads the maps of PROCESS, whose thread TID is stopped, at monotonic time NOW_NS. */
void maps_read(struct tracer *tracer, struct process *process, pid_t tid, uint64_t now_ns);

/* What was read last, as lines of a maps file. Valid until the next call. */
const struct buffer *maps_text(struct tracer *tracer, const struct process *process);

/* What is known of PROCESS's maps is out of date: they are read again at its next capture, or soon after that if it
 * takes long to read them. */
void maps_expire(struct process *process);

/* Before a capture of THREAD at PC: the front must know what lies there before it reads the capture, and can no longer
 * ask when the process has gone. */
void maps_update(struct tracer *tracer, struct thread *thread, uint64_t pc, uint64_t now_ns);

#endif
