/* SPDX-License-Identifier: MIT
 *
 * Beginning to profile processes that run already. */
#ifndef SESSION_ATTACHING_H
#define SESSION_ATTACHING_H

#include "base/error.h"

struct session;

/* Attaches to the targets of SESSION's options, and to their descendants if these are followed, and reports this.
 * Reports descendants that cannot be attached, and leaves them out. Returns 0, or -errno with ERROR set; the end of
 * the tracer then releases what is attached. */
int attaching_run(struct session *session, struct error *error);

/* Attaches to what the searches of SESSION's options find now, and to its descendants, while the session runs. Reports
 * nothing: what cannot be attached is left out. Returns 0, or -errno with ERROR set. */
int attaching_again(struct session *session, struct error *error);

#endif
