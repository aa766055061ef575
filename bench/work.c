/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <ucontext.h>
#include <unistd.h>

static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t mix(uint64_t x)
{
    for (int i = 0; i < 2000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

__attribute__((noinline)) static uint64_t descend(int depth, uint64_t x)
{
    uint64_t below;

    if (depth == 0)
        return mix(x);
    below = descend(depth - 1, x + 1);
    return below + ((below & 1) != 0 ? mix(below) : (uint64_t)depth);
}

void compute(uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        sink += descend(16, i + 1);
}

static _Thread_local struct inprocess *active;
static _Thread_local volatile uintptr_t last_pc;

static void on_tick(int signo, siginfo_t *info, void *context)
{
    const ucontext_t *at = context;

    (void)signo;
    (void)at;
#if defined(__x86_64__)
    last_pc = (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    last_pc = (uintptr_t)at->uc_mcontext.pc;
#endif
    if (active == NULL)
        return;
    active->taken++;
    if (info->si_code == SI_TIMER)
        active->overruns += (uint64_t)info->si_overrun;
}

void inprocess_start(struct inprocess *sampler, long hz)
{
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    struct timespec period = to_timespec(NS_PER_S / (uint64_t)hz);
    struct itimerspec arm = {.it_interval = period, .it_value = period};

    active = sampler;
    event._sigev_un._tid = gettid();
    sigaction(SIGPROF, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &sampler->timer) != 0)
        die("timer_create");
    if (timer_settime(sampler->timer, 0, &arm, NULL) != 0)
        die("timer_settime");
}

void inprocess_stop(struct inprocess *sampler)
{
    timer_delete(sampler->timer);
    active = NULL;
}
