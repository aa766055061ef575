/* SPDX-License-Identifier: MIT */
#include "pacer.h"

#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static uint64_t next_instant(struct pacer *p)
{
    uint64_t now = now_ns();

    p->begin += p->period;
    if (p->begin < now)
        p->begin += (now - p->begin) / p->period * p->period;
    return p->begin + (p->how.even ? 0 : (uint64_t)rand_r(&p->seed) % p->period);
}

static void settle(struct pacer *p, int cpu)
{
    p->cpu = cpu;
    p->moves++;
    if (p->how.placement == PLACE_OTHER)
        pin_but(p->tracer, cpu);
    if (p->how.placement == PLACE_SAME) {
        pin(p->tracer, cpu);
        if (p->how.source == TICK_THREAD)
            pin_but(p->thread_tid, cpu);
    }
}

/* Follows the tracee to the CPU that it is on. */
static void look(struct pacer *p)
{
    int cpu;

    if (p->how.placement == PLACE_FREE || p->ticks_seen_cpu++ % p->how.look_every != 0)
        return;
    cpu = read_cpu(p->stat_fd);
    if (cpu >= 0 && cpu != p->cpu)
        settle(p, cpu);
}

/* A tracer that waits behind the tracee for the scheduler's next tick (4 ms at HZ=250) is let go where it can
 * run. */
static void rescue(struct pacer *p)
{
    uint64_t since = p->late_since;

    if (p->how.rescue_us == 0 || since == 0 || now_ns() - since < p->how.rescue_us * 1000ull)
        return;
    pin_but(p->tracer, p->cpu);
    p->cpu = -1;
}

/* The tracee wakes up on any CPU that is idle, and this one would be: so it must not be, until the resume is
 * over. */
static void hold(struct pacer *p)
{
    uint64_t until = now_ns() + p->how.hold_us * 1000ull;

    while (p->how.hold_us != 0 && p->served != p->ticks && now_ns() < until)
        relax();
}

static void *tick_main(void *argument)
{
    struct pacer *p = argument;

    prctl(PR_SET_TIMERSLACK, 1);
    set_slice(100000);
    p->thread_tid = gettid();
    while (!p->stop) {
        sleep_until(next_instant(p));
        rescue(p);
        look(p);
        if (p->late_since == 0)
            p->late_since = now_ns();
        p->ticks++;
        syscall(SYS_futex, &p->ticks, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        hold(p);
    }
    return NULL;
}

static void open_timers(struct pacer *p)
{
    for (unsigned i = 0; i < 2; i++) {
        struct itimerspec arm = {.it_interval = to_timespec(2 * p->period),
                                 .it_value = to_timespec(p->begin + (i + 1) * p->period)};

        p->timer[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
        if (p->timer[i] < 0 || timerfd_settime(p->timer[i], TFD_TIMER_ABSTIME, &arm, NULL) != 0)
            die("timerfd");
    }
}

static void open_thread(struct pacer *p)
{
    if (pthread_create(&p->thread, NULL, tick_main, p) != 0)
        die("pthread_create");
    while (p->thread_tid == 0)
        usleep(100);
}

void pacer_open(struct pacer *p, const struct pacing *how, long hz, pid_t tracee)
{
    memset(p, 0, sizeof *p);
    p->how = *how;
    if (p->how.look_every == 0)
        p->how.look_every = 1;
    p->period = NS_PER_S / (uint64_t)hz;
    p->begin = now_ns();
    p->seed = 1;
    p->tracer = gettid();
    p->stat_fd = open_stat(tracee, tracee);
    p->cpu = -1;
    prctl(PR_SET_TIMERSLACK, 1);
    if (how->source == TICK_TWO)
        open_timers(p);
    if (how->source == TICK_THREAD)
        open_thread(p);
    if (how->placement != PLACE_FREE)
        settle(p, read_cpu(p->stat_fd));
    set_slice(how->slice_us * 1000ull);
    if (how->fifo && sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}) != 0)
        die("SCHED_FIFO");
}

void pacer_wait(struct pacer *p)
{
    uint64_t count;
    uint32_t served = p->served;

    switch (p->how.source) {
    case TICK_OWN:
        sleep_until(next_instant(p));
        look(p);
        break;
    case TICK_TWO:
        if (read(p->timer[p->turn++ & 1], &count, sizeof count) < 0)
            die("timerfd");
        look(p);
        break;
    case TICK_THREAD:
        while (p->ticks == served)
            syscall(SYS_futex, &p->ticks, FUTEX_WAIT_PRIVATE, served, NULL, NULL, 0);
        break;
    }
}

/* Ticks that came while the last one was served are merged into it. */
void pacer_served(struct pacer *p)
{
    p->late_since = 0;
    p->served = p->ticks;
}

void pacer_close(struct pacer *p)
{
    p->stop = true;
    if (p->how.source == TICK_THREAD)
        pthread_join(p->thread, NULL);
    if (p->how.source == TICK_TWO) {
        close(p->timer[0]);
        close(p->timer[1]);
    }
    close(p->stat_fd);
}

static int find(const char *name, const char *const *names)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

int tick_source_named(const char *name)
{
    return find(name, (const char *const[]){"own", "two", "thread", NULL});
}

int placement_named(const char *name)
{
    return find(name, (const char *const[]){"free", "other", "same", NULL});
}
