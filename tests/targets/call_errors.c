/* SPDX-License-Identifier: MIT
 *
 * Checks the result and errno of the C library's profil under the rules of FreeBSD or Darwin: in the main thread, in
 * another thread, and in a handler that blocks all signals.
 *     call_errors freebsd|darwin */
#include "target.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/profil.h>

DEFINE_SPIN(profiled, 0x2101)

enum { CELLS = 1024, TOO_MUCH = 65537, WHOLE = 65536 };

static unsigned short cells[CELLS];
static void *unwritable;
static bool is_darwin;
static volatile sig_atomic_t handled;

/* Calls profil for the function PROFILED. */
static int call(unsigned short *buffer, size_t size, unsigned scale)
{
    return profil(buffer, size, (size_t)(uintptr_t)profiled & ~(size_t)1, scale);
}

static unsigned counted(void)
{
    unsigned sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += *(volatile unsigned short *)&cells[i];
    return sum;
}

static void expect_failure(int result, int error)
{
    int now = errno;
    if (result != -1 || now != error)
        die("profil returns %d, errno %d, and not -1, %d", result, now, error);
    errno = EDOM;
}

static void expect_success(int result)
{
    if (result != 0 || errno != EDOM)
        die("profil returns %d, errno %d, and not 0 with errno untouched", result, errno);
}

/* Returns true if profiled's time is counted. */
static bool is_counted(void)
{
    unsigned before = counted();
    for (int i = 0; i < 200 && counted() == before; i++)
        spin_cpu_ms(profiled, 10);
    return counted() != before;
}

/* Returns true if nothing is counted during ten ticks. */
static bool is_off(void)
{
    unsigned before = counted();
    spin_cpu_ms(profiled, 100);
    return counted() == before;
}

static void try_darwin(void)
{
    expect_failure(call(cells, sizeof cells, WHOLE), EINVAL);
    expect_failure(call(NULL, 0, 0), EINVAL);
    CHECK(is_off());
}

static void try_freebsd(void)
{
    expect_success(call(cells, sizeof cells, WHOLE));
    CHECK(is_counted());
    expect_failure(call(cells, sizeof cells, TOO_MUCH), EINVAL);
    expect_failure(call(NULL, 0, (unsigned)-1), EINVAL);
    CHECK(is_counted()); /* the previous profiling continues */
    expect_failure(call(unwritable, sizeof cells, WHOLE), EFAULT);
    CHECK(is_off());
    expect_success(call(cells, sizeof cells, WHOLE));
    expect_failure(call(cells, (size_t)-1, WHOLE), EFAULT);
    expect_success(call(cells, sizeof cells, 0));
    CHECK(is_off());
}

static void try_all(void)
{
    errno = EDOM;
    if (is_darwin)
        try_darwin();
    else
        try_freebsd();
}

static void *in_thread(void *unused)
{
    try_all();
    return unused;
}

static void in_handler(int sig)
{
    int saved = errno;
    sigset_t now;
    (void)sig;
    try_all();
    CHECK(sigprocmask(SIG_SETMASK, NULL, &now) == 0 && sigismember(&now, SIGILL) == 1);
    handled++;
    errno = saved;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = in_handler};
    pthread_t thread;
    target_begin();
    CHECK(argc == 2);
    is_darwin = strcmp(argv[1], "darwin") == 0;
    unwritable = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(unwritable != MAP_FAILED);
    try_all();
    CHECK(errno == EDOM);
    CHECK(pthread_create(&thread, NULL, in_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(errno == EDOM);
    sigfillset(&action.sa_mask);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0 && handled == 1);
    puts("call_errors: as expected");
    return 0;
}
