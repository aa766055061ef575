/* SPDX-License-Identifier: MIT
 *
 * Ends that others see at once.
 *     ended children COUNT    each child that its pidfd reports as ended can be waited for, with its status. Prints how
 *                             many cannot although another thread than the first ended them, which a tracer can cause
 *     ended threads COUNT     prints how many of the threads that were joined are still counted after that */
#include "target.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

enum { STATUS = 3 };

static void *end_process(void *unused)
{
    usleep(200);
    _exit(STATUS);
    return unused;
}

static void *outlive_leader(void *unused)
{
    char path[40], text[200], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
    while (state != 'Z') {
        int fd = open(path, O_RDONLY);
        ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
        CHECK(got > 0);
        text[got] = 0;
        close(fd);
        state = strrchr(text, ')')[2];
        usleep(200);
    }
    _exit(STATUS);
    return unused;
}

static void *sleep_on(void *unused)
{
    pause();
    return unused;
}

static void end_by_itself(void)
{
    usleep(500);
    _exit(STATUS);
}

static void end_by_signal(void)
{
    usleep(500);
    kill(getpid(), SIGKILL);
}

static void end_by_another_thread(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, end_process, NULL) == 0);
    pause();
}

static void end_after_leader(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, outlive_leader, NULL) == 0);
    syscall(SYS_exit, 0);
}

static void end_with_threads(void)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&thread, NULL, sleep_on, NULL) == 0);
    _exit(STATUS);
}

static void (*const ends[])(void) = {
    end_by_itself, end_by_signal, end_by_another_thread, end_after_leader, end_with_threads,
};

/* Returns true if the child cannot be waited for yet. */
static bool misses_child(size_t kind)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        ends[kind]();
        _exit(1);
    }
    siginfo_t info = {0};
    struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    CHECK(ended.fd >= 0);
    CHECK(poll(&ended, 1, (int)(limit_ns(60) / MILLISECOND_NS)) == 1);
    CHECK(waitid(P_PIDFD, (id_t)ended.fd, &info, WEXITED | WNOHANG) == 0);
    bool misses = info.si_pid != pid;
    if (misses && ends[kind] != end_by_another_thread && ends[kind] != end_after_leader)
        die("no child of kind %zu is found", kind);
    if (misses)
        CHECK(waitid(P_PIDFD, (id_t)ended.fd, &info, WEXITED) == 0);
    CHECK(info.si_status == (ends[kind] == end_by_signal ? SIGKILL : STATUS));
    close(ended.fd);
    return misses;
}

static void *end_at_once(void *unused)
{
    return unused;
}

static int count_threads(void)
{
    char text[1000];
    int count = 0, fd = open("/proc/self/stat", O_RDONLY);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    CHECK(got > 0);
    text[got] = 0;
    close(fd);
    CHECK(sscanf(strrchr(text, ')'), ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
                 &count) == 1);
    return count;
}

static bool is_counted_after_join(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, end_at_once, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    return count_threads() != 1;
}

int main(int argc, char **argv)
{
    int counted = 0;
    target_begin();
    CHECK(argc == 3);
    for (int i = 0; i < atoi(argv[2]); i++) {
        if (!strcmp(argv[1], "children"))
            counted += misses_child((size_t)i % (sizeof ends / sizeof *ends));
        else
            counted += is_counted_after_join();
    }
    printf("%d\n", counted);
    return 0;
}
