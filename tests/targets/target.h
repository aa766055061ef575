/* SPDX-License-Identifier: MIT
 *
 * Shared by the programs that the tests profile. A target checks itself from inside: it ends with status 0, or the one
 * that it was asked for, only if everything was as it must be, and else says on standard error what was not. Every
 * target ends by itself within two minutes, whatever is done to it. */
#ifndef TARGET_H
#define TARGET_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ull
#define MILLISECOND_NS 1000000ull
#define UNUSED __attribute__((unused))
#define TARGET_LIFE_SECONDS 600

UNUSED __attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text - 1, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof text - 2)
        length = sizeof text - 2;
    text[length++] = '\n';
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(98);
    _exit(99);
}

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            die("%s:%d: not so: %s (errno %d, %s)", __FILE__, __LINE__, #condition, errno, strerror(errno));           \
    } while (0)

UNUSED static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    CHECK(clock_gettime(clock, &now) == 0);
    return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

#define thread_cpu_ns() clock_ns(CLOCK_THREAD_CPUTIME_ID)
#define process_cpu_ns() clock_ns(CLOCK_PROCESS_CPUTIME_ID)
#define monotonic_ns() clock_ns(CLOCK_MONOTONIC)

/* A limit of SECONDS, which exists only to end what hangs: the scripts say how much slower the machine is. */
UNUSED static uint64_t limit_ns(unsigned seconds)
{
    const char *slow = getenv("PTPROFIL_TEST_SLOW");
    long times = slow ? atol(slow) : 1;
    return (uint64_t)(times > 1 ? times : 1) * seconds * SECOND_NS;
}

UNUSED static void nap_ms(unsigned milliseconds)
{
    struct timespec left = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0)
        CHECK(errno == EINTR);
}

/* A function NAME(rounds) that stays in its own loop, calls nothing and touches no memory. ODD makes each one's code
 * unlike the others', or the compiler would fold them into one. Returns what the rounds make of SEED_OF_SPIN. */
#define SEED_OF_SPIN 88172645463325252ull
#define DEFINE_SPIN(name, odd)                                                                                         \
    __attribute__((noinline, noclone)) uint64_t name(uint64_t rounds);                                                 \
    __attribute__((noinline, noclone)) uint64_t name(uint64_t rounds)                                                  \
    {                                                                                                                  \
        uint64_t x = SEED_OF_SPIN ^ (odd);                                                                             \
        for (uint64_t i = 0; i < rounds; i++) {                                                                        \
            x ^= x << 13;                                                                                              \
            x ^= x >> 7;                                                                                               \
            x ^= x << 17;                                                                                              \
            __asm__ volatile("" : "+r"(x));                                                                            \
        }                                                                                                              \
        return x;                                                                                                      \
    }

/* The next bit of a sequence that is the same in each run. For one thread. */
static inline unsigned random_bit(void)
{
    static uint64_t state = SEED_OF_SPIN;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state & 1;
}

typedef uint64_t spin_function(uint64_t rounds);

/* How many rounds of FUNCTION take a millisecond of CPU time: the best of a few tries, for about 10 ms. */
UNUSED static uint64_t rounds_per_ms(spin_function *function)
{
    const uint64_t rounds = 500000;
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = thread_cpu_ns();
        function(rounds);
        uint64_t took = thread_cpu_ns() - before;
        if (took < best)
            best = took;
    }
    return rounds * MILLISECOND_NS / (best ? best : 1) + 1;
}

/* Stays in FUNCTION for MILLISECONDS of the thread's CPU time, looking at the clock about once a millisecond. */
UNUSED static void spin_cpu_ms(spin_function *function, uint64_t milliseconds)
{
    const uint64_t rounds = 500000;
    uint64_t end = thread_cpu_ns() + milliseconds * MILLISECOND_NS;
    while (thread_cpu_ns() < end)
        function(rounds);
}

/* Writes TEXT to PATH so that whoever sees the file sees all of it. */
UNUSED static void write_file(const char *path, const char *text)
{
    char new_path[4096];
    CHECK((size_t)snprintf(new_path, sizeof new_path, "%s.new", path) < sizeof new_path);
    int fd = open(new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    CHECK(fd >= 0);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(close(fd) == 0);
    CHECK(rename(new_path, path) == 0);
}

/* Says in PATH that this process is ready: the file holds its pid. NULL is allowed and does nothing. */
UNUSED static void announce(const char *path)
{
    char text[32];
    snprintf(text, sizeof text, "%d\n", (int)getpid());
    if (path)
        write_file(path, text);
}

/* Waits until PATH exists; false if it does not within SECONDS (limit_ns). */
UNUSED static bool wait_for_file(const char *path, unsigned seconds)
{
    uint64_t end = monotonic_ns() + limit_ns(seconds);
    while (access(path, F_OK) != 0) {
        if (monotonic_ns() > end)
            return false;
        nap_ms(10);
    }
    return true;
}

/* Who traces the calling thread; 0 if nobody does. */
UNUSED static int tracer_pid(void)
{
    char line[256];
    int pid = -1;
    FILE *status = fopen("/proc/thread-self/status", "re");
    CHECK(status);
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "TracerPid: %d", &pid) == 1)
            break;
    fclose(status);
    CHECK(pid >= 0);
    return pid;
}

/* Waits for child PID, whose wait status is returned. */
UNUSED static int reap(pid_t pid)
{
    int status;
    pid_t reaped;
    do
        reaped = waitpid(pid, &status, __WALL);
    while (reaped < 0 && errno == EINTR);
    CHECK(reaped == pid);
    return status;
}

#define CHECK_EXITED(pid, code)                                                                                        \
    do {                                                                                                               \
        int wait_status_ = reap(pid);                                                                                  \
        if (!WIFEXITED(wait_status_) || WEXITSTATUS(wait_status_) != (code))                                           \
            die("%s:%d: a child's wait status is 0x%x, not an exit with %d", __FILE__, __LINE__, wait_status_,         \
                (code));                                                                                               \
    } while (0)

/* A bound on everything: SIGALRM ends a target that hangs. */
UNUSED static void target_begin(void)
{
    alarm(TARGET_LIFE_SECONDS);
}

#endif
