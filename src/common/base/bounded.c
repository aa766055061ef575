/* SPDX-License-Identifier: MIT */
#include "common/base/bounded.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS_NS INT64_C(1000000)
#define ONE_MOST (100 * MS_NS)
#define ALL_MOST (20 * ONE_MOST)
#define LONG (1 * MS_NS) /* shorter blocks are not worth bounding: a long profile may have a million of them */

static struct {
    timer_t timer;
    pid_t process; /* has TIMER; a child process has no timer */
    pid_t thread;  /* gets the signals of TIMER */
    sigjmp_buf late;
    volatile sig_atomic_t running;
    int64_t used_ns;
} state;

static void leave(int signal)
{
    (void)signal;
    if (!state.running) /* the signal came just after the end of the work */
        return;
    state.running = 0;
    siglongjmp(state.late, 1);
}

static bool make_timer(clockid_t clock)
{
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID; /* a library may have threads */
    event.sigev_signo = SIGVTALRM;
#ifdef sigev_notify_thread_id
    event.sigev_notify_thread_id = state.thread;
#else
    event._sigev_un._tid = state.thread;
#endif
    return timer_create(clock, &event, &state.timer) == 0;
}

/* Does not block the signal while it is handled, so leaving the handler need not restore the signal mask. */
static bool prepare(void)
{
    struct sigaction action;
    sigset_t set;
    pid_t thread = (pid_t)syscall(SYS_gettid);
    if (state.process == getpid() && state.thread == thread)
        return true;
    if (state.process == getpid())
        timer_delete(state.timer);
    state.process = 0;
    state.thread = thread;
    memset(&action, 0, sizeof action);
    action.sa_handler = leave;
    action.sa_flags = SA_RESTART | SA_NODEFER;
    sigemptyset(&set);
    sigaddset(&set, SIGVTALRM);
    if (sigaction(SIGVTALRM, &action, NULL) < 0 || pthread_sigmask(SIG_UNBLOCK, &set, NULL) ||
        (!make_timer(CLOCK_THREAD_CPUTIME_ID) && !make_timer(CLOCK_MONOTONIC)))
        return false;
    state.process = getpid();
    return true;
}

bool bounded_run(bounded_work *work, void *argument)
{
    static const struct itimerspec limit = {.it_value.tv_nsec = ONE_MOST}, none;
    struct itimerspec rest = {0};
    if (state.used_ns >= ALL_MOST || !prepare())
        return false;
    if (sigsetjmp(state.late, 0)) {
        state.used_ns += ONE_MOST;
        return false;
    }
    state.running = 1;
    bool done = timer_settime(state.timer, 0, &limit, NULL) == 0;
    if (done)
        work(argument);
    state.running = 0;
    timer_settime(state.timer, 0, &none, &rest);
    int64_t used_ns = ONE_MOST - rest.it_value.tv_nsec;
    if (used_ns >= LONG)
        state.used_ns += used_ns;
    return done;
}

struct deep {
    bounded_work *work;
    void *argument;
    bool done;
};

static void *run_deep(void *argument)
{
    struct deep *deep = argument;
    deep->done = bounded_run(deep->work, deep->argument);
    return NULL;
}

bool bounded_run_deep(bounded_work *work, void *argument, size_t size)
{
    struct deep deep = {work, argument, false};
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    if (pthread_attr_init(&attributes))
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the thread's */
    bool begun =
        !pthread_attr_setstacksize(&attributes, size) && !pthread_create(&thread, &attributes, run_deep, &deep);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return begun && !pthread_join(thread, NULL) && deep.done;
}
