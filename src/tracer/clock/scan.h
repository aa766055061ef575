/* SPDX-License-Identifier: MIT
 *
 * Looks at all threads that may run, at a bounded cost: a look covers a few hundred threads of a process at most,
 * and ends early if events wait. The next look continues there, after a pause. */
#ifndef CLOCK_SCAN_H
#define CLOCK_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct picker;

/* Looks at all active processes at monotonic time NOW_NS, and makes processes that do not run quiet. PICKER's items
 * show the running threads and their CPUs. Returns false, without a look, too soon after a long look. */
bool scan_look(struct picker *picker, uint64_t now_ns);

#endif
