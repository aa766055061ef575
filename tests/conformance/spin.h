/* SPDX-License-Identifier: MIT
 *
 * Loops at known addresses, to spend CPU time in. */
#ifndef SPIN_H
#define SPIN_H

#include <stdbool.h>
#include <stdint.h>

/* The loops have a page of their own. Each starts SPIN_STRIDE bytes after the one before. A loop is one instruction,
 * SPIN_AT bytes after its start, so the program counter does not move while it runs. The last loop makes system calls:
 * its instruction after the call is at SPIN_AT. */
enum spin_loop { LOOP_A, LOOP_B, LOOP_C, LOOP_D, LOOP_CALLS, SPIN_LOOPS };
#define SPIN_STRIDE 64
#define SPIN_AT 16

/* The start of the first loop, and the program counter while LOOP runs. */
uintptr_t spin_base(void);
uintptr_t spin_pc(enum spin_loop loop);

/* Measures the speed of the loops, in a few milliseconds. Call it before the other functions. */
void spin_calibrate(void);

/* Stays in LOOP until the process (spin) or the calling thread (spin_thread) has used MILLISECONDS of CPU time. Makes
 * only system calls for clocks and timers, so handlers and children that share memory can call it. */
void spin(enum spin_loop loop, unsigned milliseconds);
void spin_thread(enum spin_loop loop, unsigned milliseconds);

/* On a busy machine a tick may be counted late. If SEEN is less than EXPECTED, spends a millisecond of CPU time in
 * LOOP, adds it to *WAITED, and returns true. Returns false if no tick is missing, if at most TOLERANCE are missing
 * after a short while, or after SPIN_LATEST milliseconds. */
#define SPIN_LATEST 400
bool spin_for_late(enum spin_loop loop, uint64_t seen, uint64_t expected, uint64_t tolerance, unsigned *waited);

/* CPU time of the process, in nanoseconds. */
uint64_t spin_clock(void);

/* Ticks of 1/HZ second between two readings of the process's clock. */
uint64_t spin_ticks(uint64_t begin, uint64_t end);
unsigned spin_hz(void);

#endif
