/* SPDX-License-Identifier: MIT
 *
 * A thread that others wait for. */
#ifndef BASE_URGENT_H
#define BASE_URGENT_H

/* Asks for a real-time priority for the calling thread: LEVEL above the lowest if allowed, else the lowest, unless
 * ptprofil was started with a nice value above 0. If none is allowed, asks for a short slice, which kernels before
 * 6.12 ignore. Without this, the fair scheduler delays a thread by tens of milliseconds on a busy machine, and by
 * hundreds beside threads that wake each other, as threads do that communicate over pipes. */
void urgent_ask(int level);

/* Gives thread TID (0: the calling one) a real-time priority above PRIORITY if allowed. Returns the priority that it
 * then has, as far as known; 0 for none. */
int urgent_above(int tid, int priority);

#endif
