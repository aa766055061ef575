/* SPDX-License-Identifier: MIT
 *
 * Sleeping and waking across threads and processes, on a word in memory that they share; and monotonic time. */
#ifndef BASE_WAKE_H
#define BASE_WAKE_H

#include <stdatomic.h>
#include <stdint.h>

/* Monotonic time in nanoseconds. */
uint64_t wake_now(void);

/* Sleeps until WORD is no longer SEEN, a signal comes, or it is UNTIL_NS of monotonic time (0: no limit). */
void wake_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t until_ns);

/* Changes WORD and wakes the one that sleeps on it. Async-signal-safe. */
void wake_signal(_Atomic uint32_t *word);

#endif
