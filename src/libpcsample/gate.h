/* SPDX-License-Identifier: MIT
 *
 * Takes a call out of the process to the tracer, and its result back. Uses nothing of the C library except errno, and
 * keeps nothing between two calls. So any thread and any signal handler may call it at any time. */
#ifndef LIBPCSAMPLE_GATE_H
#define LIBPCSAMPLE_GATE_H

#include "common/arch/gate.h"

/* Makes CALL with the arguments A to D, each extended to 64 bits by the type of the C function's argument. Returns
 * the tracer's answer, or -1 with errno set: by the tracer, or ENOSYS without one. On success errno is unchanged.
 * The program's signal mask, pending signals and handlers are not affected. */
__attribute__((visibility("hidden"))) long pcsample_gate(enum gate_call call, uint64_t a, uint64_t b, uint64_t c,
                                                         uint64_t d);

#endif
