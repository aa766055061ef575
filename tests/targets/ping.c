/* SPDX-License-Identifier: MIT
 *
 * Sends SIGUSR1 again and again. The receiver works, and answers each with SIGUSR2 before the next is sent. The
 * sender waits in sigtimedwait. No other signals come, so no call may fail with EINTR.
 *
 *     ping [COUNT] */
#include "target.h"

#include <signal.h>

DEFINE_SPIN(spin_answerer, 0x88)

static volatile sig_atomic_t received, wrong;
static volatile pid_t sender;

static void answer(int signal, siginfo_t *info, void *unused)
{
    int saved = errno;
    (void)unused;
    if (signal != SIGUSR1 || info->si_code != SI_USER || info->si_pid != sender || info->si_uid != getuid())
        wrong++;
    received++;
    if (kill(info->si_pid, SIGUSR2) != 0)
        wrong++;
    errno = saved;
}

static void send_all(int fd, pid_t receiver, int count)
{
    sigset_t set;
    char go;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    CHECK(read(fd, &go, 1) == 1);
    for (int i = 0; i < count; i++) {
        struct timespec bound = {30, 0};
        siginfo_t info;
        CHECK(kill(receiver, SIGUSR1) == 0);
        CHECK(sigtimedwait(&set, &info, &bound) == SIGUSR2);
        CHECK(info.si_code == SI_USER && info.si_pid == receiver);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 10000;
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_RESTART};
    int pipe_ends[2];

    target_begin();
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    CHECK(pipe(pipe_ends) == 0);
    pid_t receiver = getpid();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        send_all(pipe_ends[0], receiver, count);
    sender = child;
    CHECK(write(pipe_ends[1], "g", 1) == 1);
    uint64_t end = 0;
    for (int before = -1; received < count;) {
        end = received != before ? monotonic_ns() + 100 * SECOND_NS : end;
        before = received;
        spin_answerer(100000);
        if (received == before && monotonic_ns() > end)
            die("only %d of %d signals came", (int)received, count);
    }
    CHECK_EXITED(child, 0);
    if (received != count || wrong != 0)
        die("%d signals of %d, %d of them wrong", (int)received, count, (int)wrong);
    return 0;
}
