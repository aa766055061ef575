/* SPDX-License-Identifier: MIT
 *
 * Alternates a millisecond of computing, without page faults, with the function touch, which has them:
 *
 *     page_faults write|read|copy|fill|huge [-s CPU_SECONDS] [-t THREADS]
 *     page_faults marked
 *
 * Touch writes to new memory, reads a newly mapped file, writes to a private mapping of a file, fills new memory as a
 * whole, or writes to new huge pages. "marked" ends with status 1 if the processor does not mark page faults in the
 * saved registers, see arch_fault. */
#include "target.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/ucontext.h>

DEFINE_SPIN(compute, 0x51)

enum { BYTES = 4 << 20, PAGE = 4096 };

static char kind;
static int file = -1;
static double seconds = 1;
static _Atomic uint64_t sum;

__attribute__((noinline, noclone)) static void touch(char *memory)
{
    uint64_t seen = 0;
    if (kind == 'f')
        memset(memory, 1, BYTES);
    for (size_t i = 0; kind != 'f' && i < BYTES; i += PAGE)
        if (kind == 'r')
            seen += (unsigned char)((volatile char *)memory)[i];
        else
            ((volatile char *)memory)[i] = 1;
    atomic_fetch_add(&sum, seen);
}

__attribute__((noinline)) static void turn(void)
{
    bool of_file = kind == 'r' || kind == 'c';
    char *memory =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | (of_file ? 0 : MAP_ANONYMOUS), of_file ? file : -1, 0);
    CHECK(memory != MAP_FAILED);
    madvise(memory, BYTES, kind == 'h' ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); /* fails on a kernel without huge pages */
    touch(memory);
    CHECK(munmap(memory, BYTES) == 0);
    atomic_fetch_add(&sum, compute(300000));
}

static void *work(void *unused)
{
    while (thread_cpu_ns() < (uint64_t)(seconds * 1e9))
        turn();
    return unused;
}

#if defined __x86_64__ || defined __i386__
static char *forbidden;

static void handle(int sig, siginfo_t *info, void *context)
{
    const ucontext_t *saved = context;
    (void)sig;
    (void)info;
    atomic_store(&sum, (uint64_t)saved->uc_mcontext.gregs[REG_EFL]);
    CHECK(mprotect(forbidden, PAGE, PROT_READ) == 0);
}

static bool is_marked(void)
{
    const uint64_t resume_flag = 1 << 16;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    forbidden = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(forbidden != MAP_FAILED && sigaction(SIGSEGV, &action, NULL) == 0);
    CHECK(*(volatile char *)forbidden == 0);
    return atomic_load(&sum) & resume_flag;
}
#else
static bool is_marked(void)
{
    return false;
}
#endif

int main(int argc, char **argv)
{
    pthread_t threads[8];
    size_t count = 1;
    const char *wanted = argc > 1 ? argv[1] : "";
    for (int option; (option = getopt(argc - 1, argv + 1, "s:t:")) != -1;) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 't')
            count = (size_t)atoi(optarg);
        else
            return 2;
    }
    target_begin();
    if (!strcmp(wanted, "marked"))
        return !is_marked();
    CHECK(strchr("wrcfh", *wanted) && *wanted && count <= sizeof threads / sizeof *threads);
    kind = *wanted;
    file = memfd_create("pages", MFD_CLOEXEC);
    for (size_t i = 0; i < BYTES; i += PAGE)
        CHECK(pwrite(file, "text", 4, (off_t)i) == 4);
    CHECK(ftruncate(file, BYTES) == 0);
    for (size_t i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (size_t i = 0; i < count; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
