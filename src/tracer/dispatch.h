/* SPDX-License-Identifier: MIT
 *
 * What tracees do, decided: each event that follow_next tells is given to those that it concerns, and answered. */
#ifndef TRACER_DISPATCH_H
#define TRACER_DISPATCH_H

#include "tracer/tracer.h"

/* Hears TID, or any tracee if that is 0, as follow_hear does, and decides what it has to say. Returns what that
 * returned. */
bool dispatch_heard(struct tracer *tracer, pid_t tid, bool asleep);

/* Decides everything that tracees have to say now. */
void dispatch_all(struct tracer *tracer);

/* Decides what follow_launched, follow_attach or follow_welcome brought about. */
void dispatch_told(struct tracer *tracer);

#endif
