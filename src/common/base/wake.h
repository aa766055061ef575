/* SPDX-License-Identifier: MIT
 *
 * Sleeping and waking across threads and processes, on a word in shared memory; and monotonic time. */
#ifndef BASE_WAKE_H
#define BASE_WAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Sleeps until WORD differs from SEEN, a signal arrives, or monotonic time UNTIL_NS is reached (0: no limit). */
void wake_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t until_ns);

/* Changes WORD and wakes the thread that sleeps on it. Async-signal-safe. */
void wake_signal(_Atomic uint32_t *word);

/* A counter that notifies another thread, which may sleep, of something new. Starts as zeros. */
struct wake_turn {
    _Atomic uint32_t word; /* changes with each notification */
    _Atomic bool asleep;   /* a thread sleeps on it, or is about to */
};

/* Sleeps until the counter differs from SEEN, or until monotonic time UNTIL_NS (0: no limit). Only one thread may
 * sleep. */
void wake_turn_wait(struct wake_turn *turn, uint32_t seen, uint64_t until_ns);

/* Increases the counter. Costs a system call only if a thread sleeps. */
void wake_turn_next(struct wake_turn *turn);

/* Starts a thread that blocks all signals and runs RUN with ARGUMENT. STACK_BYTES: the size of its stack (0: the
 * usual). Returns 0 or -errno. */
int wake_thread(pthread_t *thread, void *(*run)(void *), void *argument, size_t stack_bytes);

#endif
