/* SPDX-License-Identifier: MIT
 *
 * Wrappers of pcsample with checks. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "spin.h"

#include <stddef.h>
#include <stdint.h>

/* Calls pcsample with valid arguments, and ends the case if it fails or touches errno. Returns its result. */
long samples_call(uintptr_t *samples, long count);

/* Calls pcsample with arguments that it must refuse with ERROR. */
void samples_refused(uintptr_t *samples, long count, int error);

/* Returns the number of samples stored in SAMPLES, which was all zero. The first zero ends them. */
size_t samples_stored(const uintptr_t *samples, size_t count);

/* Spends MILLISECONDS of CPU time in LOOP. FIRST samples were stored before. Ends the case with OFF_COUNT unless one
 * sample is added for each tick. */
void samples_spin(const uintptr_t *samples, size_t first, enum spin_loop loop, unsigned milliseconds);

/* Spends CPU time, and ends the case unless SAMPLES, of COUNT elements, grows (on) or does not change (off). */
void samples_check_on(const uintptr_t *samples, size_t count, const char *when);
void samples_check_off(const uintptr_t *samples, size_t count, const char *when);

/* Returns how many of COUNT samples are in LOOP. */
size_t samples_of(const uintptr_t *samples, size_t count, enum spin_loop loop);

#endif
