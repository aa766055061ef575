/* SPDX-License-Identifier: MIT
 *
 * Calls pcsample with all possible states of the signals that may carry the call. Checks that the program cannot
 * notice the call: no handler runs, and mask and pending signals do not change.
 *
 *     pcsample_signals served|alone
 * served: the calls must succeed. */
#include "target.h"

#include <pcsample.h>
#include <signal.h>
#include <sys/syscall.h>

enum { SIGNALS = 3, DISPOSITIONS = 3, STATES = 12 };
static const int signals[SIGNALS] = {SIGURG, SIGWINCH, SIGCHLD};
static void (*dispositions[DISPOSITIONS])(int);

/* The state of one of these signals. Only a blocked one can be pending. */
struct state {
    void (*handler)(int);
    bool blocked, for_thread, for_process;
};

static volatile sig_atomic_t handled;

static void handle(int signal)
{
    (void)signal;
    handled++;
}

static sigset_t all;

static struct state state_of(unsigned number)
{
    struct state state = {.handler = dispositions[number % DISPOSITIONS]};
    number /= DISPOSITIONS;
    state.blocked = number > 0;
    state.for_thread = number == 2;
    state.for_process = number == 3;
    return state;
}

static void set_up(const struct state *states, sigset_t *mask)
{
    CHECK(sigprocmask(SIG_SETMASK, &all, NULL) == 0);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action = {.sa_handler = states[i].handler};
        CHECK(sigaction(signals[i], &action, NULL) == 0);
        if (!states[i].blocked)
            CHECK(sigdelset(mask, signals[i]) == 0);
        if (states[i].for_thread)
            CHECK(syscall(SYS_tgkill, getpid(), gettid(), signals[i]) == 0);
        if (states[i].for_process)
            CHECK(kill(getpid(), signals[i]) == 0);
    }
    CHECK(sigprocmask(SIG_SETMASK, mask, NULL) == 0 && sigprocmask(SIG_SETMASK, NULL, mask) == 0);
}

/* Returns the si_code of the next pending signal with this number, or 0x7fff if none is. */
static int take(int signal)
{
    const struct timespec none = {0, 0};
    sigset_t set;
    siginfo_t info;
    CHECK(sigemptyset(&set) == 0 && sigaddset(&set, signal) == 0);
    if (syscall(SYS_rt_sigtimedwait, &set, &info, &none, 8) < 0) { /* the C library's function replaces SI_TKILL by
                                                                    * SI_USER */
        CHECK(errno == EAGAIN);
        return 0x7fff;
    }
    CHECK(info.si_pid == getpid());
    return info.si_code;
}

/* Checks that all is as set_up left it. No signal is pending afterwards. */
static void look(const struct state *states, const sigset_t *mask)
{
    sigset_t now;
    CHECK(sigprocmask(SIG_BLOCK, &all, &now) == 0);
    CHECK(handled == 0);
    for (int signal = 1; signal < NSIG; signal++)
        CHECK(sigismember(mask, signal) == sigismember(&now, signal));
    for (int i = 0; i < SIGNALS; i++) {
        CHECK(!states[i].for_thread || take(signals[i]) == SI_TKILL);
        CHECK(!states[i].for_process || take(signals[i]) == SI_USER);
        CHECK(take(signals[i]) == 0x7fff);
    }
}

/* Tries each state with all other signals blocked, and with none. */
static void try_states(const struct state *states, bool served, bool others)
{
    static uintptr_t samples[16];
    sigset_t mask;
    CHECK((others ? sigfillset(&mask) : sigemptyset(&mask)) == 0);
    for (int i = 0; i < SIGNALS; i++)
        CHECK(sigaddset(&mask, signals[i]) == 0);
    CHECK(sigdelset(&mask, SIGALRM) == 0);
    set_up(states, &mask);
    errno = EDOM;
    long result = pcsample(samples, 16);
    if (served)
        CHECK(result >= 0 && result <= 16 && errno == EDOM);
    else
        CHECK(result == -1 && errno == ENOSYS);
    look(states, &mask);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    bool served = !strcmp(argv[1], "served");
    dispositions[0] = SIG_DFL;
    dispositions[1] = SIG_IGN;
    dispositions[2] = handle;
    target_begin();
    CHECK(sigfillset(&all) == 0 && sigdelset(&all, SIGALRM) == 0);
    for (unsigned i = 0; i < STATES * STATES * STATES; i++) {
        struct state states[SIGNALS] = {state_of(i % STATES), state_of(i / STATES % STATES),
                                        state_of(i / STATES / STATES)};
        try_states(states, served, i % 2);
    }
    puts("pcsample_signals: nothing was noticed");
    return 0;
}
