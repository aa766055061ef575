/* SPDX-License-Identifier: MIT */
#include "tracer/clock/watchdog.h"

#include "common/base/time.h"
#include "common/model/proctext.h"
#include "common/wire/channel.h"
#include "tracer/tracee/procfs.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LOOK_NS = 500000000, /* between two looks */
    LOOKS = 10,          /* this many looks must find the tracing thread in the same sleep */
};

/* State of the looks while the tracing thread works. */
struct patience {
    uint64_t sleep; /* number of the sleep in which it was found; 0: none */
    int looks;      /* looks that found it in that sleep */
};

/* Returns how often the tracing thread has gone to sleep, if it is now in a sleep that no signal interrupts. Otherwise
 * returns 0. */
static uint64_t deep_sleep(const struct watchdog *watchdog)
{
    char text[4096], state;
    uint64_t sleeps;
    int cpu;
    if (procfs_text(getpid(), watchdog->watched, "stat", text, sizeof text) <= 0 ||
        !proctext_stat(text, &state, &cpu) || state != 'D' ||
        procfs_text(getpid(), watchdog->watched, "status", text, sizeof text) <= 0 ||
        !proctext_status_number(text, "voluntary_ctxt_switches", 10, &sleeps))
        return 0;
    return sleeps;
}

/* The tracing thread may sleep forever in memory that a tracee took away while it was being copied. All its tracees
 * would stay stopped. So the tracer ends, which detaches them, and the front acts as after any death of the tracer. */
static void look(const struct watchdog *watchdog, struct patience *patience)
{
    uint64_t sleep = deep_sleep(watchdog);
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

/* Each side writes its own of "parked" and "works" before it reads the other's, so at least one side sees the
 * change. */
static void park(struct watchdog *watchdog, uint32_t turn)
{
    atomic_store(&watchdog->parked, true);
    if (!atomic_load(&watchdog->works))
        wake_turn_wait(&watchdog->turn, turn, 0);
    atomic_store(&watchdog->parked, false);
}

/* A thread that often sleeps for a short time needs not wake its watchdog each time. */
static void *watch(void *argument)
{
    struct watchdog *watchdog = argument;
    struct patience patience = {0};
    uint32_t seen = 0;
    prctl(PR_SET_NAME, "pt-watch", 0, 0, 0);
    atomic_store(&watchdog->tid, (pid_t)syscall(SYS_gettid));
    for (;;) {
        uint32_t turn = atomic_load(&watchdog->turn.word), sleeps = atomic_load(&watchdog->sleeps);
        if (sleeps == seen && !atomic_load(&watchdog->works))
            park(watchdog, turn);
        else
            wake_turn_wait(&watchdog->turn, turn, time_now_ns() + LOOK_NS);
        seen = sleeps;
        if (atomic_load(&watchdog->works))
            look(watchdog, &patience);
        else
            patience = (struct patience){0};
    }
    return NULL;
}

int watchdog_start(struct watchdog *watchdog)
{
    watchdog->watched = (pid_t)syscall(SYS_gettid);
    atomic_store(&watchdog->works, true);
    return wake_thread(&watchdog->thread, watch, watchdog, 0);
}

void watchdog_sleep(struct watchdog *watchdog)
{
    atomic_fetch_add(&watchdog->sleeps, 1);
    atomic_store(&watchdog->works, false);
}

void watchdog_wake(struct watchdog *watchdog)
{
    atomic_store(&watchdog->works, true);
    if (atomic_load(&watchdog->parked))
        wake_turn_next(&watchdog->turn);
}
