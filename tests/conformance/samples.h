/* SPDX-License-Identifier: MIT
 *
 * pcsample, as the cases call it. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "spin.h"

#include <stddef.h>
#include <stdint.h>

/* pcsample with arguments that must be taken: ends the case if it fails, or touches errno. Returns what it returns. */
long samples_call(uintptr_t *samples, long count);

/* pcsample with arguments that must be refused with ERROR. */
void samples_refused(uintptr_t *samples, long count, int error);

/* How many of the COUNT elements of SAMPLES, which were zero, have been stored: all before the first that is zero. */
size_t samples_stored(const uintptr_t *samples, size_t count);

/* Spends MILLISECONDS of CPU time in LOOP while SAMPLES are stored, of which FIRST were before, and ends the case with
 * OFF_COUNT unless they become as many more as ticks have passed. */
void samples_spin(const uintptr_t *samples, size_t first, enum spin_loop loop, unsigned milliseconds);

/* Ends the case unless a sample of SAMPLES, of COUNT elements, is stored (or none is) when some CPU time is spent. */
void samples_check_on(const uintptr_t *samples, size_t count, const char *when);
void samples_check_off(const uintptr_t *samples, size_t count, const char *when);

/* How many of COUNT elements hold the program counter of LOOP. */
size_t samples_of(const uintptr_t *samples, size_t count, enum spin_loop loop);

#endif
