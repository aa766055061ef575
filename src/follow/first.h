/* SPDX-License-Identifier: MIT
 *
 * Process 1 of a pid namespace, as the main program of a container is. The kernel lets no signal of its own namespace
 * kill or stop it, but its own faults do, and when it is traced it is the other way about: a fault's default action is
 * left out, so that the instruction faults without end, and a SIGSTOP that would have been ignored stops it. */
#ifndef FOLLOW_FIRST_H
#define FOLLOW_FIRST_H

#include "tracee/table.h"

enum first_verdict {
    FIRST_ANY,    /* it is no such process, or SIG does to it what it does alone */
    FIRST_SPARED, /* alone it would not get SIG */
    FIRST_DIES    /* SIG ends it if it is not traced when the instruction faults once more */
};

/* What comes of SIG, which THREAD, stopped for it, is about to be given. */
enum first_verdict first_signalled(struct thread *thread, int sig);

#endif
