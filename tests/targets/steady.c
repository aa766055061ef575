/* SPDX-License-Identifier: MIT
 *
 * Does all kinds of work at once, and checks the results. Whatever happens to its tracer, it must continue
 * undisturbed.
 *
 *     steady [-s SECONDS] [-e FILE] [-r READY] [-o RESULT] [-x STATUS]
 * For SECONDS, and until FILE exists, two threads work and check every result, a third sleeps to absolute times, a
 * child answers on pipes, another thread sends real-time signals with values to itself, and children come and go.
 * RESULT gets "ok" if all was right, and a line with the tracer at the end. The exit status is STATUS, or 99. */
#include "target.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

DEFINE_SPIN(steady_work, 0x901)
DEFINE_SPIN(steady_other_work, 0x902)
DEFINE_SPIN(steady_child_work, 0x903)

static uint64_t end_ns;
static const char *end_file;

static bool is_over(void)
{
    return monotonic_ns() > end_ns && (!end_file || access(end_file, F_OK) == 0);
}

static void *work(void *first)
{
    spin_function *function = first ? steady_work : steady_other_work;
    const uint64_t rounds = 20000, expected = function(rounds);
    while (!is_over())
        CHECK(function(rounds) == expected);
    return NULL;
}

static void *sleep_often(void *unused)
{
    struct timespec next;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &next) == 0);
    while (!is_over()) {
        next.tv_nsec += 3000000;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == 0);
    }
    return unused;
}

static volatile int last_value = -1;

static void count(int signal, siginfo_t *info, void *unused)
{
    (void)unused;
    (void)signal;
    CHECK(info->si_code == SI_QUEUE && info->si_pid == getpid() && info->si_value.sival_int == last_value + 1);
    last_value++;
}

/* The only thread that does not block the signal: it must have arrived when sigqueue returns. */
static void *signal_oneself(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 2);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
    for (int i = 0; !is_over(); i++) {
        siginfo_t info = {.si_signo = SIGRTMIN + 2, .si_code = SI_QUEUE, .si_pid = getpid(), .si_uid = getuid()};
        info.si_value.sival_int = i;
        CHECK(pthread_sigqueue(pthread_self(), SIGRTMIN + 2, info.si_value) == 0);
        CHECK(last_value == i);
        if (i % 100 == 99)
            nap_ms(1);
    }
    return unused;
}

static void answer_for_ever(int in, int out)
{
    uint64_t number;
    while (read(in, &number, sizeof number) == (ssize_t)sizeof number) {
        steady_child_work(1000);
        number = number * 6364136223846793005ull + 1;
        CHECK(write(out, &number, sizeof number) == (ssize_t)sizeof number);
    }
    _exit(61);
}

static void talk_and_fork(int out, int in)
{
    for (uint64_t i = 0; !is_over(); i++) {
        uint64_t reply;
        CHECK(write(out, &i, sizeof i) == (ssize_t)sizeof i);
        CHECK(read(in, &reply, sizeof reply) == (ssize_t)sizeof reply);
        CHECK(reply == i * 6364136223846793005ull + 1);
        if (i % 50 == 0) {
            pid_t pid = fork();
            CHECK(pid >= 0);
            if (pid == 0) {
                steady_child_work(10000);
                _exit(62);
            }
            CHECK_EXITED(pid, 62);
        }
    }
}

int main(int argc, char **argv)
{
    double seconds = 1;
    const char *ready = NULL, *output = NULL;
    int status = 0, to_child[2], from_child[2];
    for (int option; (option = getopt(argc, argv, "s:e:r:o:x:")) != -1;) {
        switch (option) {
        case 's':
            seconds = atof(optarg);
            break;
        case 'e':
            end_file = optarg;
            break;
        case 'r':
            ready = optarg;
            break;
        case 'o':
            output = optarg;
            break;
        case 'x':
            status = atoi(optarg);
            break;
        default:
            return 2;
        }
    }
    target_begin();
    end_ns = monotonic_ns() + (uint64_t)(seconds * 1e9);

    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 2);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART};
    CHECK(sigaction(SIGRTMIN + 2, &action, NULL) == 0);

    CHECK(pipe2(to_child, O_CLOEXEC) == 0 && pipe2(from_child, O_CLOEXEC) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(to_child[1]);
        close(from_child[0]);
        answer_for_ever(to_child[0], from_child[1]);
    }
    close(to_child[0]);
    close(from_child[1]);

    pthread_t threads[4];
    CHECK(pthread_create(&threads[0], NULL, work, &threads) == 0);
    CHECK(pthread_create(&threads[1], NULL, work, NULL) == 0);
    CHECK(pthread_create(&threads[2], NULL, sleep_often, NULL) == 0);
    CHECK(pthread_create(&threads[3], NULL, signal_oneself, NULL) == 0);
    announce(ready);
    talk_and_fork(to_child[1], from_child[0]);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    close(to_child[1]);
    CHECK_EXITED(child, 61);
    if (output) {
        char text[64];
        snprintf(text, sizeof text, "ok\ntracer %d\n", tracer_pid());
        write_file(output, text);
    }
    return status;
}
