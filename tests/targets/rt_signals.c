/* SPDX-License-Identifier: MIT
 *
 * A child queues real-time signals with values while the receiver works. Each must be handled once, in order, with
 * the siginfo that was sent.
 *
 *     rt_signals live|burst [COUNT]
 * live: they come while the receiver runs. burst: all are queued first, with the signal blocked. */
#include "target.h"

#include <signal.h>
#include <sys/resource.h>

DEFINE_SPIN(spin_receiver, 0x77)

static volatile sig_atomic_t received, wrong;
static volatile pid_t sender;
static int number; /* of the signal */

static void handle(int signal, siginfo_t *info, void *unused)
{
    (void)unused;
    if (signal != number || info->si_signo != number || info->si_code != SI_QUEUE || info->si_pid != sender ||
        info->si_uid != getuid() || info->si_value.sival_int != received || info->si_errno != 0)
        wrong++;
    received++;
}

/* In the child: waits for a byte on FD, because the parent must know its pid before the first signal. */
static void send_all(int fd, pid_t receiver, int count)
{
    char go;
    CHECK(read(fd, &go, 1) == 1);
    for (int i = 0; i < count;) {
        union sigval value = {.sival_int = i};
        if (sigqueue(receiver, number, value) == 0) {
            i++;
        } else {
            CHECK(errno == EAGAIN); /* the queue is full */
            nap_ms(1);
        }
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    bool burst = argc > 1 && strcmp(argv[1], "burst") == 0;
    int count = argc > 2 ? atoi(argv[2]) : 10000;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct rlimit pending;
    sigset_t set;
    int pipe_ends[2];

    target_begin();
    number = SIGRTMIN + 3;
    CHECK(getrlimit(RLIMIT_SIGPENDING, &pending) == 0);
    if (burst && pending.rlim_cur < (rlim_t)count + 100)
        count = (int)pending.rlim_cur / 2;
    CHECK(sigaction(number, &action, NULL) == 0);
    sigemptyset(&set);
    sigaddset(&set, number);
    if (burst)
        CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);

    CHECK(pipe(pipe_ends) == 0);
    pid_t receiver = getpid();
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        send_all(pipe_ends[0], receiver, count);
    sender = child;
    CHECK(write(pipe_ends[1], "g", 1) == 1);

    if (burst) {
        CHECK_EXITED(child, 0);
        CHECK(received == 0);
        CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
    }
    uint64_t end = 0;
    for (int before = -1; received < count;) {
        end = received != before ? monotonic_ns() + 60 * SECOND_NS : end;
        before = received;
        spin_receiver(100000);
        if (received == before && monotonic_ns() > end)
            die("only %d of %d signals came", (int)received, count);
    }
    if (!burst)
        CHECK_EXITED(child, 0);
    spin_cpu_ms(spin_receiver, 5); /* a duplicate would come now */
    if (received != count || wrong != 0)
        die("%d signals of %d, %d of them wrong", (int)received, count, (int)wrong);
    return 0;
}
