/* SPDX-License-Identifier: MIT */
#include "common/base/bounded.h"

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
    pid_t owner; /* has TIMER; a child process has no timer */
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
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
#else
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
#endif
    return timer_create(clock, &event, &state.timer) == 0;
}

/* Does not block the signal while it is handled, so leaving the handler need not restore the signal mask. */
static bool prepare(void)
{
    struct sigaction action;
    sigset_t set;
    if (state.owner == getpid())
        return true;
    memset(&action, 0, sizeof action);
    action.sa_handler = leave;
    action.sa_flags = SA_RESTART | SA_NODEFER;
    sigemptyset(&set);
    sigaddset(&set, SIGVTALRM);
    if (sigaction(SIGVTALRM, &action, NULL) < 0 || sigprocmask(SIG_UNBLOCK, &set, NULL) < 0 ||
        (!make_timer(CLOCK_THREAD_CPUTIME_ID) && !make_timer(CLOCK_MONOTONIC)))
        return false;
    state.owner = getpid();
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
