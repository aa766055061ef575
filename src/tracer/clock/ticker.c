/* SPDX-License-Identifier: MIT */
#include "tracer/clock/ticker.h"

#include "common/base/time.h"
#include "common/base/wake.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

int ticker_start(struct ticker *ticker, _Atomic uint32_t *wake, uint64_t period_ns)
{
    uint64_t seed = 0;
    ticker->wake = wake;
    ticker->woken = (pid_t)syscall(SYS_gettid);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
        seed = time_now_ns();
    tick_start(&ticker->schedule, time_now_ns(), period_ns, seed);
    return watchdog_start(&ticker->watchdog);
}

void ticker_run(struct ticker *ticker, bool run)
{
    if (ticker->running == run)
        return;
    ticker->running = run;
    if (run) {
        tick_start(&ticker->schedule, time_now_ns(), ticker->schedule.period_ns, ticker->schedule.random);
        ticker_served(ticker, ticker->schedule.period_ns);
    }
    ticker->next_ns = run ? ticker->own_ns : 0;
}

bool ticker_due(const struct ticker *ticker)
{
    return ticker->running && time_now_ns() >= ticker->next_ns;
}

void ticker_served(struct ticker *ticker, uint64_t period_ns)
{
    uint64_t skipped;
    ticker->schedule.period_ns = period_ns;
    ticker->own_ns = tick_next(&ticker->schedule, time_now_ns(), &skipped);
}

void ticker_plan(struct ticker *ticker, uint64_t instant_ns)
{
    if (ticker->running)
        ticker->next_ns = instant_ns;
}

void ticker_wait(struct ticker *ticker, bool waits)
{
    atomic_store(&ticker->broken, false);
    atomic_store(&ticker->waiting, waits);
}

void ticker_break(struct ticker *ticker)
{
    if (!atomic_load(&ticker->waiting))
        return;
    atomic_store(&ticker->broken, true);
    syscall(SYS_tgkill, getpid(), ticker->woken, TICKER_BREAK_SIGNAL);
}

void ticker_sleep(struct ticker *ticker, uint32_t seen, uint64_t until_ns)
{
    watchdog_sleep(&ticker->watchdog);
    wake_wait(ticker->wake, seen, time_earlier(ticker->running ? ticker->next_ns : 0, until_ns));
    watchdog_wake(&ticker->watchdog);
}
