/* SPDX-License-Identifier: MIT
 *
 * Threads sleep in calls that a stop would end with EINTR, while another one works. Signals arrive that are ignored
 * or have no effect by default. They are sent to threads: a signal to a process may wake one thread and be taken by
 * another, and then the first one's call cannot be restarted. No signal has a handler, so no call may fail or end
 * early.
 *
 *     sleepers [SECONDS] */
#include "target.h"

#include <linux/aio_abi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>

DEFINE_SPIN(beside_sleepers, 0xb01)

enum { NAP_MS = 40 };

static uint64_t end_ns;
static atomic_int failures;

/* When a call began. The kernel counts a socket's timeout in ticks. In an emulated machine whose CPUs wait for each
 * other, ticks are handled late, several at once, and a call that begins before that is shorter by the exact clock. */
struct moment {
    uint64_t ns, tick_ns;
};

static struct moment moment(void)
{
    return (struct moment){monotonic_ns(), clock_ns(CLOCK_MONOTONIC_COARSE)};
}

/* After each sleep: CALL must have returned EXPECTED with ERROR (0: any), and taken the whole time by either clock. */
static void judge(const char *call, long result, long expected, int error, struct moment began)
{
    int seen = errno;
    struct moment now = moment();
    uint64_t took = now.ns - began.ns, ticks = now.tick_ns - began.tick_ns, least = (NAP_MS - 1) * MILLISECOND_NS;
    if (result == expected && (error == 0 || seen == error) && (took > least || ticks > least))
        return;
    failures++;
    fprintf(stderr, "%s: %ld (%s) after %.3f ms, %.3f ms of ticks\n", call, result,
            result < 0 ? strerror(seen) : "no error", (double)took / 1e6, (double)ticks / 1e6);
}

#define SLEEP(call, error, ...)                                                                                        \
    do {                                                                                                               \
        struct moment began_ = moment();                                                                               \
        judge(#call, call(__VA_ARGS__), (error) ? -1 : 0, error, began_);                                              \
    } while (0)

static void *sleep_epoll(void *unused)
{
    int fd = epoll_create1(EPOLL_CLOEXEC), never = eventfd(0, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    CHECK(fd >= 0 && never >= 0 && epoll_ctl(fd, EPOLL_CTL_ADD, never, &event) == 0);
    while (monotonic_ns() < end_ns) {
        SLEEP(epoll_wait, 0, fd, &event, 1, NAP_MS);
        SLEEP(epoll_pwait, 0, fd, &event, 1, NAP_MS, NULL);
    }
    return unused;
}

static void *sleep_signal(void *unused)
{
    struct timespec bound = {0, NAP_MS * 1000000};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    while (monotonic_ns() < end_ns)
        SLEEP(sigtimedwait, EAGAIN, &set, NULL, &bound);
    return unused;
}

static void *sleep_semaphore(void *unused)
{
    struct timespec bound = {0, NAP_MS * 1000000};
    int id = semget(IPC_PRIVATE, 1, 0600);
    CHECK(id >= 0);
    struct sembuf operation = {.sem_num = 0, .sem_op = -1};
    while (monotonic_ns() < end_ns)
        SLEEP(semtimedop, EAGAIN, id, &operation, 1, &bound);
    semctl(id, 0, IPC_RMID);
    return unused;
}

static void *sleep_aio(void *unused)
{
    aio_context_t context = 0;
    if (syscall(SYS_io_setup, 1, &context) != 0)
        return unused;
    while (monotonic_ns() < end_ns) {
        struct timespec bound = {0, NAP_MS * 1000000};
        struct io_event event;
        struct moment began = moment();
        judge("io_getevents", syscall(SYS_io_getevents, context, 1, 1, &event, &bound), 0, 0, began);
    }
    return unused;
}

static void *sleep_socket(void *unused)
{
    int pair[2];
    char byte;
    struct timeval bound = {0, NAP_MS * 1000};
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) == 0);
    while (monotonic_ns() < end_ns) {
        SLEEP(recv, EAGAIN, pair[0], &byte, 1, 0);
        SLEEP(read, EAGAIN, pair[0], &byte, 1);
    }
    return unused;
}

static void *sleep_otherwise(void *unused)
{
    struct timespec bound = {0, NAP_MS * 1000000};
    int never = eventfd(0, EFD_CLOEXEC);
    struct pollfd wanted = {.fd = never, .events = POLLIN};
    while (monotonic_ns() < end_ns) {
        SLEEP(poll, 0, &wanted, 1, NAP_MS);
        SLEEP(ppoll, 0, &wanted, 1, &bound, NULL);
        SLEEP(nanosleep, 0, &bound, NULL);
    }
    return unused;
}

static void *work(void *unused)
{
    while (monotonic_ns() < end_ns)
        spin_cpu_ms(beside_sleepers, 5);
    return unused;
}

int main(int argc, char **argv)
{
    static void *(*const bodies[])(void *) = {sleep_epoll,     sleep_signal, sleep_semaphore, sleep_aio, sleep_socket,
                                              sleep_otherwise, work};
    enum { BODIES = sizeof bodies / sizeof *bodies };
    pthread_t threads[BODIES];
    target_begin();
    end_ns = monotonic_ns() + (uint64_t)((argc > 1 ? atof(argv[1]) : 1) * 1e9);
    CHECK(signal(SIGUSR2, SIG_IGN) != SIG_ERR);
    for (int i = 0; i < BODIES; i++)
        CHECK(pthread_create(&threads[i], NULL, bodies[i], NULL) == 0);
    while (monotonic_ns() < end_ns) {
        for (int i = 0; i < BODIES; i++) {
            pthread_kill(threads[i], SIGWINCH);
            pthread_kill(threads[i], SIGUSR2);
            pthread_kill(threads[i], SIGURG);
        }
        nap_ms(15);
    }
    for (int i = 0; i < BODIES; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    if (failures)
        die("%d calls were not what they are alone", (int)failures);
    return 0;
}
