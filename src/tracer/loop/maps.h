/* SPDX-License-Identifier: MIT
 *
 * The memory maps of tracees: read while a thread is stopped, sent to the front when they have changed. */
#ifndef LOOP_MAPS_H
#define LOOP_MAPS_H

#include <stdint.h>
#include <sys/types.h>

struct ahead;
struct buffer;
struct process;
struct thread;
struct tracer;

/* Reads the maps of PROCESS, whose thread TID is stopped, at monotonic time NOW_NS. */
void maps_read(struct tracer *tracer, struct process *process, pid_t tid, uint64_t now_ns);

/* Returns the maps that were read last, as lines of a maps file. Valid until the next call. */
const struct buffer *maps_text(struct tracer *tracer, const struct process *process);

/* Marks the known maps of PROCESS as out of date. They are read again at its next capture, or soon after that if
 * reading takes long. */
void maps_expire(struct process *process);

/* Reads the maps again if the front waits for them, and the known ones are old enough. */
void maps_answer(struct tracer *tracer, struct process *process, uint64_t now_ns);

/* Call it before a capture of THREAD at PC. The front needs the maps before it reads the capture, and cannot ask for
 * them after the process has ended. */
void maps_update(struct tracer *tracer, struct thread *thread, uint64_t pc, uint64_t now_ns);

/* THREAD is about to stop. Compares the known maps with the present ones for maps_update: all, if there is time for
 * that, else only the file of its last PC. */
void maps_look_ahead(const struct thread *thread, uint64_t now_ns, struct ahead *ahead);

#endif
