/* SPDX-License-Identifier: MIT
 *
 * What the parts of putting back share among themselves. All may be called in a handler of signals. */
#ifndef PLANT_RESCUE_PARTS_H
#define PLANT_RESCUE_PARTS_H

#include "plant/rescue.h"

/* Stops thread TID if PID, its process or itself, has IDENTITY: once it is traced, the number stays its own. Returns
 * false if it is another, or cannot be stopped; else *SIG is what it has stopped for, or 0. */
bool rescue_stop(pid_t tid, pid_t pid, const struct procfs_identity *identity, int *sig);

/* Lets thread TID, which has stopped, go on with signal SIG, or 0: then what our stop made fail is entered again. */
void rescue_release(pid_t tid, int sig);

/* Waits a tenth of a second for a thread that was asked to stop. Returns the signal that it has stopped for, 0 if for
 * none, or -1 if it has not. */
int rescue_await(pid_t tid);

/* Returns the sum of what VISIT, which is given CONTEXT, returns for each number in the folder PATH. */
unsigned rescue_visit(const char *path, unsigned (*visit)(pid_t number, void *context), void *context);

/* Takes the jumps back; of those that need a process to be stopped only if STOP. */
void rescue_jumps(struct rescue *rescue, bool stop);

#endif
