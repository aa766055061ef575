/* SPDX-License-Identifier: MIT
 *
 * A thread waits, and a signal with a handler interrupts it, again and again. It must get EINTR each time, even if
 * it is stopped just before the handler returns. The handler leaves another descriptor's number in the register of
 * the result or first argument. With this descriptor the call would not wait.
 *
 *     handled [SECONDS] */
#include "target.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

DEFINE_SPIN(between_signals, 0x4a1d)

static int ready;
static atomic_int calls;
static atomic_bool over;

__attribute__((noipa)) static int number_of_ready(void)
{
    return ready;
}

static void handle(int signal)
{
    (void)signal;
    number_of_ready();
}

static int watch(int value)
{
    struct epoll_event event = {.events = EPOLLIN};
    int fd = epoll_create1(EPOLL_CLOEXEC);
    CHECK(fd >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, eventfd((unsigned)value, EFD_CLOEXEC), &event) == 0);
    return fd;
}

/* The signal may arrive before the call begins, and then interrupts nothing. */
static void *interrupt(void *waiter)
{
    while (!over) {
        int before = calls;
        CHECK(pthread_kill(*(pthread_t *)waiter, SIGUSR1) == 0);
        for (int i = 0; i < 1000 && calls == before; i++)
            between_signals(200);
        between_signals(2000);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handle};
    pthread_t self = pthread_self(), other;
    struct epoll_event event;
    uint64_t end_ns;
    target_begin();
    ready = watch(1);
    int never = watch(0), wrong = 0;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    end_ns = monotonic_ns() + (uint64_t)((argc > 1 ? atof(argv[1]) : 1) * 1e9);
    CHECK(pthread_create(&other, NULL, interrupt, &self) == 0);
    for (; monotonic_ns() < end_ns; calls++)
        wrong += epoll_wait(never, &event, 1, -1) != -1 || errno != EINTR;
    over = true;
    CHECK(pthread_join(other, NULL) == 0);
    printf("handled: %d calls\n", (int)calls);
    if (wrong)
        die("%d of %d calls that a handled signal interrupted did not say so", wrong, (int)calls);
    return calls ? 0 : 1;
}
