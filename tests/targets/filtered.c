/* SPDX-License-Identifier: MIT
 *
 * A program whose filter of system calls ends it if the kernel continues a call by restart_syscall, which the program
 * itself never makes. It makes calls that sleep, and gets signals without a handler during that. A call may not end
 * early, or fail, except by the one signal that has a handler.
 *     filtered MILLISECONDS
 * Exits with status 77 if filters are unavailable. */
#include "forbidden.h"
#include "target.h"

#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { NAP_MS = 30, STORM_US = 700, SHORT_US = 50, LONG_US = 60000000 };

static volatile sig_atomic_t handled;

static void handle(int signal)
{
    (void)signal;
    handled++;
}

static struct timespec span(uint64_t us)
{
    return (struct timespec){(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
}

static long by_nanosleep(uint64_t us)
{
    struct timespec length = span(us);
    return syscall(SYS_nanosleep, &length, NULL);
}

static long by_clock(uint64_t us)
{
    struct timespec length = span(us);
    return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &length, NULL);
}

static long by_poll(uint64_t us)
{
    return poll(NULL, 0, (int)((us + 999) / 1000));
}

static int word;

static long by_futex(uint64_t us)
{
    struct timespec length = span(us);
    long result = syscall(SYS_futex, &word, FUTEX_WAIT, 0, &length, NULL, 0);
    return result < 0 && errno == ETIMEDOUT ? 0 : result;
}

static long by_futex_until(uint64_t us)
{
    uint64_t end_ns = monotonic_ns() + us * 1000;
    struct timespec end = {(time_t)(end_ns / SECOND_NS), (long)(end_ns % SECOND_NS)};
    long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &end, NULL, FUTEX_BITSET_MATCH_ANY);
    return result < 0 && errno == ETIMEDOUT ? 0 : result;
}

static const struct {
    const char *name;
    long (*nap)(uint64_t us);
} kinds[] = {{"nanosleep", by_nanosleep},
             {"clock_nanosleep", by_clock},
             {"poll", by_poll},
             {"futex", by_futex},
             {"futex until", by_futex_until}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void filter(void)
{
    struct sock_filter steps[] = FORBIDDEN(SYS_restart_syscall);
    struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(77);
}

/* Short sleeps, because a stop has to hit the beginning of a call. */
static void nap_shortly(size_t kind, uint64_t ms)
{
    for (uint64_t end = monotonic_ns() + ms * MILLISECOND_NS; monotonic_ns() < end;)
        CHECK(kinds[kind].nap(SHORT_US) == 0);
}

/* Sends endless signals without a handler to the parent. With HANDLED, each is followed by one with a handler. */
static pid_t begin_storm(bool is_handled)
{
    pid_t maker = getpid(), pid = fork();
    CHECK(pid >= 0);
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (kill(maker, SIGWINCH) == 0 && (!is_handled || kill(maker, SIGUSR1) == 0))
        by_nanosleep(STORM_US);
    _exit(0);
}

static void end_storm(pid_t pid)
{
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
}

static void nap_in_storm(size_t kind)
{
    pid_t storm = begin_storm(false);
    uint64_t since = monotonic_ns();
    CHECK(kinds[kind].nap(NAP_MS * 1000) == 0);
    CHECK(monotonic_ns() - since >= NAP_MS * MILLISECOND_NS);
    end_storm(storm);
}

static void nap_until_handled(size_t kind)
{
    pid_t storm = begin_storm(true);
    CHECK(kinds[kind].nap(LONG_US) == -1 && errno == EINTR && handled);
    end_storm(storm);
}

static void run(size_t kind, uint64_t ms)
{
    filter();
    nap_shortly(kind, ms);
    nap_in_storm(kind);
    nap_until_handled(kind);
    _exit(0);
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = handle};
    int status;
    target_begin();
    CHECK(argc == 2 && sigaction(SIGUSR1, &action, NULL) == 0);
    for (size_t i = 0; i < KINDS; i++) {
        pid_t pid = fork();
        CHECK(pid >= 0);
        if (pid == 0)
            run(i, strtoull(argv[1], NULL, 10));
        CHECK(waitpid(pid, &status, 0) == pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            _exit(77);
        if (status != 0)
            die("%s: status %x", kinds[i].name, (unsigned)status);
    }
    return 0;
}
