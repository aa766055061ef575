/* SPDX-License-Identifier: MIT
 *
 * Passes each event of follow_next to the modules that need it, decides the action, and answers. */
#ifndef LOOP_DISPATCH_H
#define LOOP_DISPATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct tracer;

/* Takes the events of TID, or of any tracee if TID is 0, as follow_hear, and answers them. Returns the result of
 * follow_hear. */
bool dispatch_heard(struct tracer *tracer, pid_t tid);

/* Answers the pending events of all tracees, for at most two milliseconds. Returns false if there may be more. */
bool dispatch_all(struct tracer *tracer);

/* Answers the events that follow_launched, follow_attach or follow_welcome added. */
void dispatch_told(struct tracer *tracer);

#endif
