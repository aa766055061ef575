/* SPDX-License-Identifier: MIT
 *
 * How a call gets out of the process to a supervisor, and its result back. Nothing of the C library is used but errno,
 * and nothing is kept between two calls, so that any thread and any signal handler may call at any time. */
#ifndef LIBPCSAMPLE_GATE_H
#define LIBPCSAMPLE_GATE_H

#include "arch/gate.h"

/* Makes CALL with the arguments A to D, each extended to 64 bits as the type of the C function's says. Returns what
 * the supervisor answers; or -1 with errno set: as the supervisor says, or ENOSYS if none exists. On success errno
 * is left as it was. The program's signal mask, its pending signals and its handlers do not notice. */
__attribute__((visibility("hidden"))) long pcsample_gate(enum gate_call call, uint64_t a, uint64_t b, uint64_t c,
                                                         uint64_t d);

#endif
