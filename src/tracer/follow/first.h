/* SPDX-License-Identifier: MIT
 *
 * Process 1 of a pid namespace, for example the main program of a container. Normally the kernel lets no signal from
 * its own namespace kill or stop it, but its own faults kill it. Under a tracer both change: the default action of a
 * fault is omitted, so the instruction faults forever, and a SIGSTOP that would have been ignored stops it. */
#ifndef FOLLOW_FIRST_H
#define FOLLOW_FIRST_H

#include "tracer/tracee/table.h"

enum first_verdict {
    FIRST_ANY,      /* not such a process, or SIG acts as it does without a tracer */
    FIRST_SHIELDED, /* without a tracer it would not receive SIG */
    FIRST_DIES      /* SIG ends it if it is not traced when the instruction faults again */
};

/* Returns what SIG does if THREAD, which is stopped for SIG, receives it. */
enum first_verdict first_signalled(struct thread *thread, int sig);

#endif
