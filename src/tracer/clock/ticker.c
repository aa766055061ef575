/* SPDX-License-Identifier: MIT */
#include "tracer/clock/ticker.h"

#include "common/base/time.h"
#include "common/base/wake.h"
#include "common/model/proctext.h"
#include "common/wire/channel.h"
#include "tracer/tracee/procfs.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    LONGEST_WAIT_NS = 1000000, /* the tracing thread waits for one tracee at most this long */
    FAR_NS = 100000000,        /* how long before a tick an earlier one can still be set; at 10 Hz and more, this
                                * thread then wakes up once for each tick */
    LOOK_NS = 500000000,       /* between checks for a tracing thread that is blocked forever */
    LOOKS = 10,                /* this many checks must find it in the same sleep */
};

/* State of these checks, while the tracing thread works or a tick is not served. */
struct patience {
    uint64_t look_ns; /* when to look next */
    uint64_t sleep;   /* number of the sleep in which it was found; 0: none */
    int looks;        /* checks that found it in that sleep */
};

static void sleep_until(uint64_t instant)
{
    struct timespec until = {(time_t)(instant / 1000000000u), (long)(instant % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

static bool served(const struct ticker *ticker, uint32_t turn)
{
    return atomic_load_explicit(&ticker->turn.word, memory_order_acquire) != turn;
}

/* Returns how often the tracing thread has gone to sleep, if it is now in a sleep that no signal interrupts. Otherwise
 * returns 0. */
static uint64_t deep_sleep(const struct ticker *ticker)
{
    char text[4096], state;
    uint64_t sleeps;
    int cpu;
    if (procfs_text(getpid(), ticker->woken, "stat", text, sizeof text) <= 0 || !proctext_stat(text, &state, &cpu) ||
        state != 'D' || procfs_text(getpid(), ticker->woken, "status", text, sizeof text) <= 0 ||
        !proctext_status_number(text, "voluntary_ctxt_switches", 10, &sleeps))
        return 0;
    return sleeps;
}

/* The tracing thread may sleep forever in memory that a tracee took away while it was being copied. All its tracees
 * would stay stopped. So the tracer ends, which detaches them, and the front acts as after any death of the tracer. */
static void give_up(struct ticker *ticker, struct patience *patience)
{
    if (time_now_ns() < patience->look_ns)
        return;
    patience->look_ns = time_now_ns() + LOOK_NS;
    uint64_t sleep = deep_sleep(ticker);
    patience->looks = sleep && sleep == patience->sleep ? patience->looks + 1 : 0;
    patience->sleep = sleep;
    if (patience->looks < LOOKS)
        return;
    sigset_t deadly; /* only for this thread: the other one may have signals pending, and handles none */
    sigemptyset(&deadly);
    sigaddset(&deadly, TRACER_GIVE_UP_SIGNAL);
    signal(TRACER_GIVE_UP_SIGNAL, SIG_DFL); /* our parent may have ignored it */
    pthread_sigmask(SIG_UNBLOCK, &deadly, NULL);
    raise(TRACER_GIVE_UP_SIGNAL);
}

void ticker_break(const struct ticker *ticker)
{
    if (atomic_load(&ticker->waiting))
        syscall(SYS_tgkill, getpid(), ticker->woken, TICKER_BREAK_SIGNAL);
}

/* Waits until the tick of TURN has been served, and interrupts a wait of the tracing thread that delays it. */
static void watch(struct ticker *ticker, uint32_t turn)
{
    struct patience patience = {.look_ns = time_now_ns() + LOOK_NS};
    while (!served(ticker, turn)) {
        wake_turn_wait(&ticker->turn, turn, time_now_ns() + LONGEST_WAIT_NS);
        if (!served(ticker, turn))
            ticker_break(ticker);
        give_up(ticker, &patience);
    }
}

/* Sleeps until the turn after TURN, or until UNTIL_NS (0: never). Checks the tracing thread while it works. */
static void park(struct ticker *ticker, uint32_t turn, uint64_t until_ns, struct patience *patience)
{
    atomic_store(&ticker->parked, true);
    if (!atomic_load(&ticker->works)) {
        *patience = (struct patience){0};
        wake_turn_wait(&ticker->turn, turn, until_ns);
        atomic_store(&ticker->parked, false);
        return;
    }
    atomic_store(&ticker->parked, false);
    if (!patience->look_ns)
        patience->look_ns = time_now_ns() + LOOK_NS;
    wake_turn_wait(&ticker->turn, turn, time_earlier(until_ns, patience->look_ns));
    if (atomic_load(&ticker->works))
        give_up(ticker, patience);
}

static void *tick(void *argument)
{
    struct ticker *ticker = argument;
    struct patience patience = {0};
    prctl(PR_SET_NAME, "pt-tick", 0, 0, 0);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    atomic_store(&ticker->tid, (pid_t)syscall(SYS_gettid));
    for (;;) {
        uint32_t turn = atomic_load(&ticker->turn.word);
        uint64_t next = atomic_load(&ticker->next_ns);
        if (!next) {
            park(ticker, turn, 0, &patience);
            continue;
        }
        if (next > time_now_ns() + FAR_NS) {
            park(ticker, turn, next - FAR_NS, &patience);
            continue;
        }
        sleep_until(next + LONGEST_WAIT_NS);
        if (served(ticker, turn))
            continue;
        watch(ticker, turn);
    }
    return NULL;
}

int ticker_start(struct ticker *ticker, _Atomic uint32_t *wake, uint64_t period_ns)
{
    uint64_t seed = 0;
    ticker->wake = wake;
    ticker->woken = (pid_t)syscall(SYS_gettid);
    atomic_store(&ticker->works, true);
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
        seed = time_now_ns();
    tick_start(&ticker->schedule, time_now_ns(), period_ns, seed);
    return wake_thread(&ticker->thread, tick, ticker, 0);
}

static void publish(struct ticker *ticker, uint64_t next_ns)
{
    atomic_store(&ticker->next_ns, next_ns);
    wake_turn_next(&ticker->turn);
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
    publish(ticker, run ? ticker->own_ns : 0);
}

bool ticker_due(const struct ticker *ticker)
{
    return ticker->running && time_now_ns() >= atomic_load(&ticker->next_ns);
}

void ticker_served(struct ticker *ticker, uint64_t period_ns)
{
    uint64_t skipped;
    ticker->schedule.period_ns = period_ns;
    ticker->own_ns = tick_next(&ticker->schedule, time_now_ns(), &skipped);
}

void ticker_plan(struct ticker *ticker, uint64_t instant_ns)
{
    if (ticker->running && atomic_load(&ticker->next_ns) != instant_ns)
        publish(ticker, instant_ns);
}

void ticker_sleep(struct ticker *ticker, uint32_t seen, uint64_t until_ns)
{
    uint64_t next_ns = ticker->running ? atomic_load(&ticker->next_ns) : 0;
    atomic_store(&ticker->works, false);
    wake_wait(ticker->wake, seen, next_ns && (!until_ns || next_ns < until_ns) ? next_ns : until_ns);
    atomic_store(&ticker->works, true);
    if (atomic_load(&ticker->parked))
        wake_turn_next(&ticker->turn);
}
