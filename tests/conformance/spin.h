/* SPDX-License-Identifier: MIT
 *
 * Loops whose place is known to the byte, and CPU time to spend in them. */
#ifndef SPIN_H
#define SPIN_H

#include <stdbool.h>
#include <stdint.h>

/* The loops stand one after the other, SPIN_STRIDE bytes apart, on a page of their own. While a loop runs, the program
 * counter stands still: it is one instruction, SPIN_AT bytes after the beginning of its place. The last one is a loop
 * of system calls: the instruction after the call is at SPIN_AT. */
enum spin_loop { LOOP_A, LOOP_B, LOOP_C, LOOP_D, LOOP_CALLS, SPIN_LOOPS };
#define SPIN_STRIDE 64
#define SPIN_AT 16

/* Where the first one's place begins, and the program counter while LOOP runs. */
uintptr_t spin_base(void);
uintptr_t spin_pc(enum spin_loop loop);

/* Finds out how fast the loops are, in the first one. Before any of them is used; takes a few milliseconds. */
void spin_calibrate(void);

/* Stays in LOOP until the process, or the calling thread, has used MILLISECONDS more of CPU time. Nothing but
 * system calls, to read the clock or to be told, is called, so that it can be used in handlers and in children that
 * share memory. */
void spin(enum spin_loop loop, unsigned milliseconds);
void spin_thread(enum spin_loop loop, unsigned milliseconds);

/* On a busy machine a tick may be counted late. Of EXPECTED ticks SEEN are there: if some are missing, spends a
 * millisecond of CPU time in LOOP, so that they may come, adds it to *WAITED, and returns true. Returns false if none
 * is missing, if no more than TOLERANCE are after a short while, or after SPIN_LATEST milliseconds. */
#define SPIN_LATEST 400
bool spin_for_late(enum spin_loop loop, uint64_t seen, uint64_t expected, uint64_t tolerance, unsigned *waited);

/* CPU time of the process, in nanoseconds. */
uint64_t spin_clock(void);

/* Ticks of 1/HZ second between two readings of the process's clock. */
uint64_t spin_ticks(uint64_t begin, uint64_t end);
unsigned spin_hz(void);

#endif
