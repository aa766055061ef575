/* SPDX-License-Identifier: MIT
 *
 * Takes from the tracer all that it does not need: capabilities and system calls. */
#ifndef LOOP_CONFINE_H
#define LOOP_CONFINE_H

#include <sys/types.h>

/* Confines this process, the tracer, and its later threads and children, for good. Call it while it has one thread. It
 * may trace the processes that it could trace before, and signal FRONT; it can execute nothing, create no file and
 * reach no network. If the kernel refuses a part, the other part holds. Returns the refused
 * parts, as bits 1 << enum confine_part. */
unsigned confine_tracer(pid_t front);

#endif
