/* SPDX-License-Identifier: MIT */
#include "common/base/wake.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The words are in memory that processes share, so the futexes are not private. */
void wake_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t until_ns)
{
    struct timespec until = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, until_ns ? &until : NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}

void wake_signal(_Atomic uint32_t *word)
{
    atomic_fetch_add(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void wake_turn_wait(struct wake_turn *turn, uint32_t seen, uint64_t until_ns)
{
    atomic_store(&turn->asleep, true);
    wake_wait(&turn->word, seen, until_ns);
    atomic_store(&turn->asleep, false);
}

/* Each side writes its own of flag and word before it reads the other's, so at least one side sees the change. */
void wake_turn_next(struct wake_turn *turn)
{
    atomic_fetch_add(&turn->word, 1);
    if (atomic_load(&turn->asleep))
        wake_signal(&turn->word);
}

int wake_thread(pthread_t *thread, void *(*run)(void *), void *argument, size_t stack_bytes)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    if (stack_bytes)
        pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int result = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return -result;
}
