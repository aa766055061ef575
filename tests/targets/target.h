/* SPDX-License-Identifier: MIT
 *
 * Shared by the programs that the tests profile. A target checks itself. It ends with status 0, or a requested one,
 * only if everything was right; otherwise it prints the error. Every target ends within two minutes, whatever
 * happens to it. */
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

/* Returns a time limit of SECONDS, only for ending a blocked test. The scripts set a factor for slow machines. */
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

/* Defines a function NAME(rounds) with a loop that calls nothing and uses no memory. ODD makes the code of each one
 * unique, because compilers merge equal functions. Returns a number that depends on SEED_OF_SPIN and the rounds. */
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

/* Returns the next bit of a sequence that is the same in each run. Not thread-safe. */
static inline unsigned random_bit(void)
{
    static uint64_t state = SEED_OF_SPIN;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state & 1;
}

typedef uint64_t spin_function(uint64_t rounds);

/* Returns the number of rounds of FUNCTION in a millisecond of CPU time: the best of several measurements, which
 * take about 10 ms. */
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

/* Runs FUNCTION for MILLISECONDS of the thread's CPU time. Reads the clock about once a millisecond. */
UNUSED static void spin_cpu_ms(spin_function *function, uint64_t milliseconds)
{
    const uint64_t rounds = 500000;
    uint64_t end = thread_cpu_ns() + milliseconds * MILLISECOND_NS;
    while (thread_cpu_ns() < end)
        function(rounds);
}

/* Writes TEXT to PATH atomically, so that a reader sees all of it. */
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

/* Writes the pid to PATH to report that this process is ready. Does nothing if PATH is NULL. */
UNUSED static void announce(const char *path)
{
    char text[32];
    snprintf(text, sizeof text, "%d\n", (int)getpid());
    if (path)
        write_file(path, text);
}

/* Waits until PATH exists. Returns false if it does not within SECONDS (limit_ns). */
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

/* Returns the calling thread's tracer; 0: none. */
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

/* Waits for child PID. Returns its wait status. */
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

/* Limits the run time: SIGALRM ends a blocked target. */
UNUSED static void target_begin(void)
{
    alarm(TARGET_LIFE_SECONDS);
}

#endif
