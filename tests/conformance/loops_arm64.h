/* SPDX-License-Identifier: MIT
 *
 * The loops of spin.c. arm64 has no instruction that counts and jumps: a loop jumps to itself until the handler of a
 * timer's signal moves the program counter behind it. The loop of system calls counts x4. */
#ifndef LOOPS_ARM64_H
#define LOOPS_ARM64_H

#include "spin.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define LOOP_OF_ONE                                                                                                    \
    "hint #34\n" /* bti c */                                                                                           \
    "nop\n"                                                                                                            \
    "nop\n"                                                                                                            \
    "nop\n"                                                                                                            \
    "0: b 0b\n"                                                                                                        \
    "ret\n"
#define LOOP_OF_CALLS                                                                                                  \
    "hint #34\n"                                                                                                       \
    "mov x8, #63\n" /* read */                                                                                         \
    "0: mov x0, x5\n"                                                                                                  \
    "svc #0\n"                                                                                                         \
    "subs x4, x4, #1\n"                                                                                                \
    "b.ne 0b\n"                                                                                                        \
    "ret\n"

enum { LOOPS_ARE_TIMED = 1, LATE_MS = 5 };

/* Stays in the loop while a SIGPROF of the C library is pending: its handler must see the program counter in the
 * loop. The timer's next signal ends the loop. */
static void leave_loop(int sig, siginfo_t *info, void *context)
{
    ucontext_t *loop_context = context;
    unsigned long long *pc = &loop_context->uc_mcontext.pc;
    sigset_t pending;

    (void)sig, (void)info;
    if (sigpending(&pending) == 0 && sigismember(&pending, SIGPROF) == 1 &&
        sigismember(&loop_context->uc_sigmask, SIGPROF) == 0)
        return;
    for (int loop = LOOP_A; loop < LOOP_CALLS; loop++)
        if (*pc == spin_pc((enum spin_loop)loop))
            *pc += 4;
}

static void loops_begin(void)
{
    struct sigaction action = {.sa_sigaction = leave_loop, .sa_flags = SA_SIGINFO | SA_RESTART};

    sigaddset(&action.sa_mask, SIGPROF);
    sigaction(SIGRTMAX, &action, NULL);
}

struct loops_timer {
    int id;
    uint64_t mask; /* the signal mask to restore */
};

/* Arms a timer that sends SIGRTMAX to the calling thread after LEFT_NS of CLOCK. The timer repeats, because its first
 * signal may come before the loop begins. Uses system calls only, so that handlers can call it. */
static struct loops_timer loops_arm(clockid_t clock, uint64_t left_ns)
{
    const uint64_t ours = UINT64_C(1) << 63; /* SIGRTMAX, the 64th */
    struct loops_timer timer = {.id = -1};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX};
    struct itimerspec times = {{0, LATE_MS * 1000000},
                               {(time_t)(left_ns / 1000000000), (long)(left_ns % 1000000000) + 1}};

    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &ours, &timer.mask, sizeof ours);
    if (syscall(SYS_timer_create, clock, &event, &timer.id) == 0)
        syscall(SYS_timer_settime, timer.id, 0, &times, NULL);
    return timer;
}

static void loops_disarm(const struct loops_timer *timer)
{
    syscall(SYS_timer_delete, timer->id);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &timer->mask, NULL, sizeof timer->mask);
}

#endif
