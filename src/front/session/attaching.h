/* SPDX-License-Identifier: MIT
 *
 * Attaches to running processes. */
#ifndef SESSION_ATTACHING_H
#define SESSION_ATTACHING_H

#include <stdint.h>

struct error;

struct session;

/* When to search for processes that have appeared. Zero before use. */
struct arrivals {
    uint64_t next_ns;  /* of the next look */
    uint64_t until_ns; /* a process that appeared before that can still get its name */
    char last[64];     /* the kernel's text that changes with each new process */
};

/* Attaches to the targets of SESSION's options and, if these are followed, to their descendants. Reports this. Reports
 * descendants that cannot be attached, and skips them. Returns 0, or -errno with ERROR set; then the end of the tracer
 * detaches everything. */
int attaching_run(struct session *session, struct error *error);

/* While the session runs: attaches to the processes that the searches of SESSION's options find now, and to their
 * descendants. Skips silently what cannot be attached. Returns 0, or -errno with ERROR set. */
int attaching_again(struct session *session, struct error *error);

/* With search_again, the same from time to time if processes have appeared: with --wait every 30 ms, so that short jobs
 * are profiled, and at most a twentieth of the time; otherwise every half a second, and a two-hundredth of the time. */
void attaching_take_arrivals(struct session *session);

#endif
