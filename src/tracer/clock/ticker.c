/* SPDX-License-Identifier: MIT */
#include "tracer/clock/ticker.h"

#include "common/base/time.h"
#include "common/base/wake.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LONG_SLEEP_NS = 250000 }; /* during a shorter sleep, no CPU falls into deep idleness */

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

void ticker_plan(struct ticker *ticker, uint64_t instant_ns, bool awaited)
{
    if (ticker->running)
        ticker->next_ns = instant_ns;
    ticker->awaited = awaited;
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

/* Sleeps until the deadline of a tick, and wakes up before it if it would come late otherwise. News and
 * signals end the first sleep early. They have changed the wake word, so no second sleep hides them. */
static void sleep_until_awaited(struct ticker *ticker, uint32_t seen)
{
    uint64_t first_ns = ticker->next_ns - lead_ns(&ticker->lead), now_ns = time_now_ns();
    if (first_ns > now_ns + LONG_SLEEP_NS) {
        wake_wait(ticker->wake, seen, first_ns);
        now_ns = time_now_ns();
        if (now_ns < first_ns)
            return;
        lead_learn(&ticker->lead, now_ns - first_ns);
    }
    if (now_ns >= ticker->next_ns)
        return;
    wake_wait(ticker->wake, seen, ticker->next_ns);
    now_ns = time_now_ns();
    if (now_ns >= ticker->next_ns)
        lead_judge(&ticker->lead, now_ns - ticker->next_ns);
}

void ticker_sleep(struct ticker *ticker, uint32_t seen, uint64_t until_ns)
{
    watchdog_sleep(&ticker->watchdog);
    uint64_t next_ns = time_earlier(ticker->running ? ticker->next_ns : 0, until_ns);
    if (ticker->running && ticker->awaited && next_ns == ticker->next_ns)
        sleep_until_awaited(ticker, seen);
    else
        wake_wait(ticker->wake, seen, next_ns);
    watchdog_wake(&ticker->watchdog);
}
