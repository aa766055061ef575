/* SPDX-License-Identifier: MIT
 *
 * Internal interface between the files of rescue. All functions may be called in a signal handler. */
#ifndef PLANT_RESCUE_PARTS_H
#define PLANT_RESCUE_PARTS_H

#include <stdbool.h>
#include <sys/types.h>

struct procfs_identity;
struct rescue;

/* Stops thread TID if PID, which is its process or TID itself, has IDENTITY: while it is traced, its number is not
 * reused. Sets *SIG to the signal that it has stopped for, or 0. Returns false if the identity differs, or if it
 * cannot be stopped. */
bool rescue_stop(pid_t tid, pid_t pid, const struct procfs_identity *identity, int *sig);

/* Detaches stopped thread TID with signal SIG, or 0. With 0, it restarts a system call that our stop made fail. */
void rescue_release(pid_t tid, int sig);

/* Waits a tenth of a second for a thread that was asked to stop. Returns the signal that it has stopped for, 0 if
 * for none, or -1 if it has not stopped. */
int rescue_await(pid_t tid);

/* Calls VISIT with CONTEXT for each number in the folder PATH. Returns the sum of the results. */
unsigned rescue_visit(const char *path, unsigned (*visit)(pid_t number, void *context), void *context);

/* Removes the jumps. STOP: also from processes that must be stopped for that. */
void rescue_jumps(struct rescue *rescue, bool stop);

#endif
