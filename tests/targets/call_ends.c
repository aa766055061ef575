/* SPDX-License-Identifier: MIT
 *
 * Processes that end between two ticks. The counts are in memory that remains after the process: no tick before the end
 * may be missing.
 *     call_ends KIND COUNT
 * COUNT processes run one after the other. Each ends after it has counted two ticks. KIND:
 *     exit, _exit
 *     signal    by a signal that the process sends to itself
 *     killed    by SIGKILL from itself
 *     parent    by SIGKILL from its parent, at a time that it does not know
 *     thread    a thread exits the process while three others work
 *     fault     a thread uses an invalid address while another one works */
#include "target.h"

#include <pcsample.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { MOST_SAMPLES = 4096, LEAST_TICKS = 2 };

DEFINE_SPIN(spin, 1)

static struct shared {
    _Atomic uint64_t passed;
    uintptr_t samples[MOST_SAMPLES];
} * shared;

static uint64_t began, hz;
static const char *kind;

static bool is(const char *name)
{
    return strcmp(kind, name) == 0;
}

/* The process's clock can be some milliseconds behind unless the thread's was just read. Returns the elapsed ticks. */
static uint64_t look(void)
{
    thread_cpu_ns();
    uint64_t passed = process_cpu_ns() * hz / SECOND_NS - began, before = atomic_load(&shared->passed);
    while (before < passed && !atomic_compare_exchange_weak(&shared->passed, &before, passed))
        continue;
    return passed;
}

/* Runs until the process has ended, which may take some time. */
static void *work(void *argument)
{
    for (;;) {
        spin(10000);
        look();
    }
    return argument;
}

static void end(void)
{
    static volatile uintptr_t nowhere = 8;
    if (is("exit"))
        exit(0);
    if (is("signal"))
        raise(SIGTERM);
    if (is("killed"))
        kill(getpid(), SIGKILL);
    if (is("fault"))
        *(volatile int *)nowhere = 0;
    for (;;)
        syscall(SYS_exit_group, 0);
}

/* The parent's SIGKILL arrives during this work. */
static void *spend(void *argument)
{
    while (look() < LEAST_TICKS || is("parent"))
        spin(10000);
    end();
    return argument;
}

__attribute__((noreturn)) static void live(void)
{
    const struct rlimit none = {0, 0};
    bool threads = is("thread"), two = is("fault");
    pthread_t other;
    CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
    CHECK(pcsample(shared->samples, MOST_SAMPLES) == 0);
    began = look();
    for (int i = 0; i < (threads ? 3 : two ? 1 : 0); i++)
        CHECK(pthread_create(&other, NULL, work, NULL) == 0);
    if (threads || two) {
        CHECK(pthread_create(&other, NULL, spend, NULL) == 0);
        pthread_join(other, NULL);
    }
    spend(NULL);
    _exit(1);
}

static uint64_t counted(void)
{
    uint64_t count = 0;
    while (count < MOST_SAMPLES && shared->samples[count])
        count++;
    return count;
}

/* Returns how many more ticks were counted than the process saw. */
static uint64_t end_one(void)
{
    memset(shared, 0, sizeof *shared);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        live();
    while (is("parent") && atomic_load(&shared->passed) < LEAST_TICKS)
        nap_ms(1);
    if (is("parent"))
        CHECK(kill(child, SIGKILL) == 0);
    int status = reap(child);
    if (is("exit") || is("_exit") || is("thread"))
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    else
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == (is("signal") ? SIGTERM : is("fault") ? SIGSEGV : SIGKILL));
    uint64_t passed = atomic_load(&shared->passed);
    if (counted() < passed)
        die("%s: %llu ticks passed, %llu were counted", kind, (unsigned long long)passed,
            (unsigned long long)counted());
    return counted() - passed;
}

int main(int argc, char **argv)
{
    uint64_t more = 0;
    CHECK(argc == 3);
    target_begin();
    kind = argv[1];
    hz = (uint64_t)sysconf(_SC_CLK_TCK);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    for (uint64_t count = strtoull(argv[2], NULL, 10); count; count--)
        more += end_one();
    printf("more %llu\n", (unsigned long long)more);
    return 0;
}
