/* SPDX-License-Identifier: MIT
 *
 * A thread sends itself the signals of faults, and the handler leaves profil or pcsample by longjmp. No signal may stay
 * blocked.
 *     call_left profil|pcsample */
#include "target.h"

#include <pcsample.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/profil.h>

enum { LEAVINGS = 300, CALLS = 60 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
static pthread_t caller;
static atomic_bool over;
static volatile sig_atomic_t ready, left;
static jmp_buf back;

static void handle(int sig)
{
    (void)sig;
    if (!ready)
        return;
    ready = 0;
    left++;
    longjmp(back, 1);
}

static void *send(void *unused)
{
    for (unsigned i = 0; !over; i++) {
        usleep(100 + i % 7 * 37);
        pthread_kill(caller, signals[i % (sizeof signals / sizeof *signals)]);
    }
    return unused;
}

static void call(bool is_pcsample)
{
    static unsigned short cells[256];
    static uintptr_t samples[64];
    if (is_pcsample)
        pcsample(samples, 64);
    else
        profil(cells, sizeof cells, 0, 2);
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER};
    pthread_t sender;
    sigset_t mask;
    target_begin();
    CHECK(argc == 2);
    caller = pthread_self();
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        CHECK(sigaction(signals[i], &action, NULL) == 0);
    CHECK(pthread_create(&sender, NULL, send, NULL) == 0);
    while (left < LEAVINGS) {
        setjmp(back);
        ready = 1;
        for (int i = 0; i < CALLS; i++)
            call(!strcmp(argv[1], "pcsample"));
        ready = 0;
        CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
        for (int sig = 1; sig < SIGSYS; sig++)
            if (sigismember(&mask, sig))
                die("signal %d is blocked", sig);
    }
    over = true;
    CHECK(pthread_join(sender, NULL) == 0);
    return 0;
}
