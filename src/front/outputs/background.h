/* SPDX-License-Identifier: MIT
 *
 * A forked child that makes a profile of the record, which it has as of the fork, and writes it with a low priority.
 * Sampling and unwinding continue meanwhile. */
#ifndef OUTPUTS_BACKGROUND_H
#define OUTPUTS_BACKGROUND_H

#include "common/base/error.h"
#include "front/session/session.h"

#include <stdbool.h>
#include <stdint.h>

struct background {
    struct child child;
    int news;                 /* becomes readable when the child is done; -1: no child */
    uint64_t next_ns;         /* monotonic time at which the caller wants to start the next child */
    struct session_since now; /* counts of the session when the child was started */
};

/* How a child has ended. */
struct background_report {
    struct error error; /* its first failure */
    uint64_t cpu_ns;    /* CPU time that it used, with its own children */
};

/* The work of the child: sets ERROR if it fails. */
typedef void background_work(void *of, struct error *error);

/* Returns when session_run should return to the caller of these functions: UINT64_MAX while a child is at work. */
uint64_t background_due_ns(const struct background *background);

/* Starts a child that does WORK with OF, under NAME (at most 15 bytes) and with the priority NICENESS (0: ours). In
 * the child, SESSION ends now. Returns 0 or -errno; background->now is set in either case. */
int background_start(struct background *background, const char *name, int niceness, struct session *session,
                     background_work *work, void *of);

/* Returns true if the child has something to report, so that background_take does not wait. */
bool background_is_done(const struct background *background);

/* Waits for the child's end, and sets REPORT. KILLED: text of the error if it was killed. */
void background_take(struct background *background, const char *killed, struct background_report *report);

#endif
