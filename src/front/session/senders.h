/* SPDX-License-Identifier: MIT
 *
 * Who sent a signal to ptprofil, and to whom. A signal of the profiled program is not the user's: passed on to the
 * program, it would come back to it. A signal to our process group has reached the command by itself. */
#ifndef SESSION_SENDERS_H
#define SESSION_SENDERS_H

#include "common/base/child.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SENDERS_RECENT = 1024 };

/* Numbers of the profiled processes that began last, some of which may be gone. Zero before use. */
struct senders_recent {
    pid_t pids[SENDERS_RECENT];
    unsigned next;
};

struct senders {
    struct child witness; /* a child that waits in our process group, with all signals blocked */
    pid_t tracer;         /* set by the caller, and: */
    const struct senders_recent *recent;
};

/* A process with number PID has begun. */
void senders_note(struct senders_recent *recent, pid_t pid);

/* Starts the witness. Without one, no signal counts as sent to the group. End with senders_end. */
void senders_start(struct senders *senders);
void senders_end(struct senders *senders);

/* Returns the signals, bit SIG - 1 for SIG, that our process group has received since the last call. */
uint64_t senders_group(struct senders *senders);

/* Returns true if process PID, perhaps already gone, is the command, a descendant of it, or a process that the tracer
 * traces or has traced recently. */
bool senders_is_program(const struct senders *senders, pid_t pid);

/* Returns true if process PID has a handler for SIG. */
bool senders_awaits(pid_t pid, int sig);

#endif
