/* SPDX-License-Identifier: MIT
 *
 * Bytes that were planted where threads may run become jumps (plant/detours.h) while they do. Once the byte is there,
 * nobody comes to the instructions behind it any more; those that may have been among them are seen once, each for
 * itself, wherever it is: one that was elsewhere stays elsewhere. */
#ifndef FOLLOW_JUMPS_H
#define FOLLOW_JUMPS_H

#include "follow/follow.h"

/* Bytes were planted in PROCESS. Where they can become jumps, its threads are looked at: those that run are asked to
 * stop. */
void jumps_begin(struct follow *follow, struct process *process);

/* THREAD is stopped, and being told of. */
void jumps_stopped(struct follow *follow, struct thread *thread);

/* THREAD has ended. */
void jumps_ended(struct follow *follow, struct thread *thread);

#endif
