/* SPDX-License-Identifier: MIT
 *
 * During a large write to a pipe, another thread or process replaces the writer's descriptor by another pipe. It
 * then sends the writer a signal without a handler. All bytes that write reports must be in the first pipe, and none
 * in the other.
 *
 *     swapped MODE [READY GO]
 * MODE is what the other is: own (a process with its own files: nothing is replaced), ring (like own, but the writer
 * has an io_uring, which could replace it; status 77 if unavailable), process, untraced (a child that shares the
 * files, and survives), parent (a parent that does), thread. With READY, this file is created when the other exists,
 * and nothing happens until the file GO exists. */
#include "target.h"

#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { SIZE = 1 << 20 };

struct shared {
    atomic_int writer, writes, written;
};

static struct shared *shared;
static const char *mode;
static int first[2], other[2], start[2], results[2];

static bool is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static bool writer_sleeps(void)
{
    char path[40], line[256], state = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)shared->writer);
    FILE *status = fopen(path, "re");
    CHECK(status);
    while (fgets(line, sizeof line, status))
        sscanf(line, "State: %c", &state);
    fclose(status);
    return state == 'S';
}

/* The writer waits for room. Replaces its descriptor, interrupts it, and lets the reader begin. */
static void *swap(void *unused)
{
    uint64_t end = monotonic_ns() + 60 * SECOND_NS;
    for (int asleep = 0; asleep < 20; asleep = shared->writes && writer_sleeps() ? asleep + 1 : 0) {
        CHECK(monotonic_ns() < end);
        nap_ms(1);
    }
    CHECK(dup2(other[1], first[1]) == first[1]);
    CHECK(syscall(SYS_tgkill, shared->writer, shared->writer, SIGWINCH) == 0);
    CHECK(write(start[1], "x", 1) == 1);
    while (is("untraced") && !shared->written)
        nap_ms(1);
    return unused;
}

static pid_t start_reader(void)
{
    static char got[1 << 16];
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid > 0)
        return pid;
    int64_t sum = 0;
    ssize_t count;
    close(first[1]);
    CHECK(read(start[0], got, 1) == 1);
    while ((count = read(first[0], got, sizeof got)) > 0)
        sum += count;
    CHECK(count == 0 && write(results[1], &sum, sizeof sum) == sizeof sum);
    _exit(0);
}

static void write_all(char *const *names)
{
    static char bytes[SIZE];
    int64_t came;
    int strange;
    if (names[0]) {
        announce(names[0]);
        CHECK(wait_for_file(names[1], 60));
    }
    shared->writes = true;
    ssize_t written = write(first[1], bytes, sizeof bytes);
    shared->written = true;
    CHECK(written > 0);
    close(first[1]);
    CHECK(read(results[0], &came, sizeof came) == sizeof came && ioctl(other[0], FIONREAD, &strange) == 0);
    if (came != written || strange)
        die("%s: %zd bytes were written by its count, %lld came, and %d in the other pipe", mode, written,
            (long long)came, strange);
    printf("%s: %s\n", mode, written == SIZE ? "whole" : "short");
}

static pid_t make_other(void)
{
    unsigned long flags = is("own") || is("ring") ? 0 : CLONE_FILES | (is("untraced") ? CLONE_UNTRACED : 0);
    pid_t pid = (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, 0);
    CHECK(pid >= 0);
    return pid;
}

/* The parent replaces the child's descriptor. */
static void write_in_child(char *const *names)
{
    pid_t pid = make_other();
    if (pid == 0) {
        target_begin();
        shared->writer = getpid();
        write_all(names);
        fflush(stdout);
        _exit(0);
    }
    while (!shared->writer)
        nap_ms(1);
    swap(NULL);
    CHECK_EXITED(pid, 0);
}

int main(int argc, char **argv)
{
    char *none[] = {NULL, NULL}, **names = argc > 3 ? argv + 2 : none;
    pthread_t id;
    target_begin();
    mode = argc > 1 ? argv[1] : "own";
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED && pipe(first) == 0 && pipe(other) == 0 && pipe(start) == 0 && pipe(results) == 0);
    CHECK(fcntl(other[1], F_SETPIPE_SZ, SIZE) == SIZE);
    pid_t reader = start_reader(), pid = 0;
    if (is("parent")) {
        write_in_child(names);
        CHECK_EXITED(reader, 0);
        return 0;
    }
    shared->writer = getpid();
    struct io_uring_params parameters = {.flags = 0};
    if (is("ring") && syscall(SYS_io_uring_setup, 1, &parameters) < 0)
        return 77;
    if (is("thread"))
        CHECK(pthread_create(&id, NULL, swap, NULL) == 0);
    else if ((pid = make_other()) == 0) {
        swap(NULL);
        _exit(0);
    }
    write_all(names);
    if (pid)
        CHECK_EXITED(pid, 0);
    CHECK_EXITED(reader, 0);
    return 0;
}
