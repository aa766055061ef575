/* SPDX-License-Identifier: MIT
 *
 * Looks at all that may run. What they cost is bounded, however many threads there are: a look is at some hundreds of a
 * process's at most, and ends early if events wait; the next one goes on where it ended, after a rest. */
#ifndef CLOCK_SCAN_H
#define CLOCK_SCAN_H

#include "clock/picker.h"

/* Looks at all active processes at monotonic time NOW_NS, and puts those that have gone quiet to rest. What was seen to
 * run, and where, is in PICKER's items. Returns false if it is too soon after a long look: there was none. */
bool scan_look(struct picker *picker, uint64_t now_ns);

#endif
