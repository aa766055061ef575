/* SPDX-License-Identifier: MIT
 *
 * Beginning to profile processes that run already. */
#ifndef SESSION_ATTACHING_H
#define SESSION_ATTACHING_H

#include "base/error.h"

struct session;

/* Attaches to the targets of SESSION's options, and to what descends from them if that is to be followed, and says
 * so. What descends from them and cannot be attached to is told of, and left out. Returns 0, or -errno with ERROR set;
 * what has been attached to by then is let go by the tracer's end. */
int attaching_run(struct session *session, struct error *error);

#endif
