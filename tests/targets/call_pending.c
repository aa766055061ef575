/* SPDX-License-Identifier: MIT
 *
 * Calls profil while a signal that is ignored by default is blocked and pending. The thread has sent it to itself or to
 * the process. After the call, the same signal must still be pending, once. Prints the number of calls. */
#include "target.h"

#include <signal.h>
#include <sys/profil.h>
#include <sys/syscall.h>

static unsigned short cells[256], *none;

/* The value distinguishes this signal from signals that the call causes. */
static void send_one(int signal, bool to_the_process, int value)
{
    siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE, .si_pid = getpid(), .si_value = {.sival_int = value}};
    CHECK(to_the_process ? sigqueue(getpid(), signal, info.si_value) == 0
                         : syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, &info) == 0);
}

static void expect_one(int signal, int value)
{
    const struct timespec now = {0, 0};
    sigset_t set;
    siginfo_t info = {0};
    sigemptyset(&set);
    sigaddset(&set, signal);
    if (sigtimedwait(&set, &info, &now) != signal)
        die("signal %d is lost", signal);
    if (info.si_code != SI_QUEUE || info.si_value.sival_int != value)
        die("signal %d is another one: si_code %d", signal, info.si_code);
    if (sigtimedwait(&set, &info, &now) != -1 || errno != EAGAIN)
        die("signal %d comes twice", signal);
}

static void call_with(const int *signals, int count, bool to_the_process)
{
    sigset_t set, before, after;
    sigemptyset(&set);
    for (int i = 0; i < count; i++)
        sigaddset(&set, signals[i]);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && sigprocmask(SIG_BLOCK, NULL, &before) == 0);
    for (int i = 0; i < count; i++)
        send_one(signals[i], to_the_process, 77 + i);
    CHECK(profil(cells, sizeof cells, 0, 2) == 0 && profil(none, 0, 0, 0) == 0);
    for (int i = 0; i < count; i++)
        expect_one(signals[i], 77 + i);
    CHECK(sigprocmask(SIG_UNBLOCK, &set, &after) == 0 && memcmp(&before, &after, 64 / 8) == 0);
}

int main(void)
{
    const int signals[] = {SIGURG, SIGWINCH, SIGCHLD, SIGCONT};
    const int count = sizeof signals / sizeof *signals;
    target_begin();
    for (int i = 0; i < 40; i++) {
        call_with(signals + i % count, 1, i & 4);
        call_with(signals, 1 + i % count, i & 4);
    }
    puts("calls 160");
    return 0;
}
