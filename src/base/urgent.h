/* SPDX-License-Identifier: MIT
 *
 * A thread that others wait for. */
#ifndef BASE_URGENT_H
#define BASE_URGENT_H

/* The fair scheduler lets a thread wait: for tens of milliseconds on a busy machine, for hundreds beside threads that
 * do nothing but wake each other, as any that talk over pipes do. So this asks for the calling thread the real-time
 * priority LEVEL above the lowest, or the lowest, which some may have, unless we were started to be nice; else for a
 * short slice, which kernels before 6.12 ignore. */
void urgent_ask(int level);

/* Gives thread TID (0: the calling one) a real-time priority above PRIORITY, if it may have one. Returns the one that
 * it has then, as far as is known, 0 for none. */
int urgent_above(int tid, int priority);

#endif
