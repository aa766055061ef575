/* SPDX-License-Identifier: MIT
 *
 * Sleeping and waking across threads and processes, on a word in memory that they share; and monotonic time. */
#ifndef BASE_WAKE_H
#define BASE_WAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Sleeps until WORD is no longer SEEN, a signal comes, or it is UNTIL_NS of monotonic time (0: no limit). */
void wake_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t until_ns);

/* Changes WORD and wakes the thread that sleeps on it. Async-signal-safe. */
void wake_signal(_Atomic uint32_t *word);

/* A counter by which one thread tells another, possibly sleeping one that something is new. Starts as zeros. */
struct wake_turn {
    _Atomic uint32_t word; /* changes with every turn */
    _Atomic bool asleep;   /* somebody sleeps, or is about to sleep, on it */
};

/* Sleeps until the counter differs from SEEN, or until UNTIL_NS of monotonic time (0: no limit). Only one thread may
 * sleep. */
void wake_turn_wait(struct wake_turn *turn, uint32_t seen, uint64_t until_ns);

/* Increases the counter. Costs a system call only if a thread sleeps. */
void wake_turn_next(struct wake_turn *turn);

/* Starts a thread that takes no signals: RUN with ARGUMENT, with a stack of STACK_BYTES (0: the usual). Returns 0 or
 * -errno. */
int wake_thread(pthread_t *thread, void *(*run)(void *), void *argument, size_t stack_bytes);

#endif
