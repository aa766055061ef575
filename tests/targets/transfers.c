/* SPDX-License-Identifier: MIT
 *
 * Big transfers, which nothing but a signal makes short; none is caught here, so all must be whole:
 *     transfers zero|random|pipe|socket [SECONDS] */
#include "target.h"

#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>

enum { BIG = 16 << 20, MIDDLE = 1 << 20 };

static char *buffer;
static unsigned calls, short_calls;

static void note(ssize_t count, ssize_t expected)
{
    CHECK(count > 0);
    calls++;
    short_calls += count != expected;
}

/* A child reads everything that comes. */
static pid_t start_reader(int fd, int other)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        close(other);
        while (read(fd, buffer, MIDDLE) > 0)
            ;
        _exit(0);
    }
    close(fd);
    return pid;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "zero";
    uint64_t end = monotonic_ns() + (uint64_t)((argc > 2 ? atof(argv[2]) : 0.5) * 1e9);
    target_begin();
    buffer = mmap(NULL, BIG, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    CHECK(buffer != MAP_FAILED);
    if (strcmp(mode, "zero") == 0) {
        int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
        CHECK(fd >= 0);
        while (monotonic_ns() < end)
            note(read(fd, buffer, BIG), BIG);
    } else if (strcmp(mode, "random") == 0) {
        while (monotonic_ns() < end)
            note(getrandom(buffer, MIDDLE, 0), MIDDLE);
    } else {
        int ends[2];
        bool is_pipe = strcmp(mode, "pipe") == 0;
        CHECK((is_pipe ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) == 0);
        pid_t reader = start_reader(ends[0], ends[1]);
        while (monotonic_ns() < end)
            note(write(ends[1], buffer, MIDDLE), MIDDLE);
        close(ends[1]);
        CHECK_EXITED(reader, 0);
    }
    if (short_calls)
        die("%s: %u of %u transfers were short", mode, short_calls, calls);
    printf("%s: all whole\n", mode);
    return 0;
}
