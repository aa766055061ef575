/* SPDX-License-Identifier: MIT
 *
 * Attaches to running processes. */
#ifndef SESSION_ATTACHING_H
#define SESSION_ATTACHING_H

struct error;

struct session;

/* Attaches to the targets of SESSION's options and, if these are followed, to their descendants. Reports this. Reports
 * descendants that cannot be attached, and skips them. Returns 0, or -errno with ERROR set; then the end of the tracer
 * detaches everything. */
int attaching_run(struct session *session, struct error *error);

/* While the session runs: attaches to the processes that the searches of SESSION's options find now, and to their
 * descendants. Skips silently what cannot be attached. Returns 0, or -errno with ERROR set. */
int attaching_again(struct session *session, struct error *error);

#endif
