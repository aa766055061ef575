/* SPDX-License-Identifier: MIT
 *
 * Memory that nobody supplies: a thread that touches it sleeps until the end. So does a tracer that reads or writes it.
 *     asleep uffd|fuse stack|request|profil|sprofil|pcsample|shifting|caller MILLISECONDS
 * asleep_work uses MILLISECONDS of CPU time. Such memory is at its stack pointer, is an argument of the call, or has
 * the calling code. neighbour_work, in a child, uses the same time. Prints the CPU time of both in ms, and the call's
 * result. asleep fuse mapping MILLISECONDS A thread named "mapping" stays in mmap() until the end. During that, no
 * other thread can change or read the memory map, and only the neighbour works. The process ends with its server. Exits
 * with status 77, and prints the reason, if such memory is unavailable. */
#include "fuse_memory.h"
#include "raw_gate.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

enum { PAGE = FUSE_PAGE, SIZE = FUSE_SIZE, ROUNDS = 200000 };

DEFINE_SPIN(neighbour_work, 0x2402)

/*
 * Memory behind a userfaultfd
 */

static int uffd;

static char *uffd_memory(void)
{
    struct uffdio_api api = {.api = UFFD_API};
    char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    if (uffd < 0 || ioctl(uffd, UFFDIO_API, &api) != 0)
        cannot("userfaultfd");
    struct uffdio_register region = {{(uintptr_t)memory, SIZE}, UFFDIO_REGISTER_MODE_MISSING, 0};
    CHECK(ioctl(uffd, UFFDIO_REGISTER, &region) == 0);
    return memory;
}

/*
 * Uses of this memory
 */

/* Its stack pointer is STACK, which it does not touch. */
__attribute__((noinline, noclone)) void asleep_work(uint64_t rounds, char *stack);
__attribute__((noinline, noclone)) void asleep_work(uint64_t rounds, char *stack)
{
    __asm__ volatile("xchg %1, %%rsp\n"
                     "1: dec %0\n"
                     "jnz 1b\n"
                     "xchg %1, %%rsp\n"
                     : "+r"(rounds), "+r"(stack)
                     :
                     : "cc");
}

static void work_at(char *stack, uint64_t ms)
{
    for (uint64_t end = thread_cpu_ns() + ms * MILLISECOND_NS; thread_cpu_ns() < end;)
        asleep_work(ROUNDS, stack);
}

/* Every possible return address is in MEMORY. */
static void work_called_from(char *memory, char *stack, size_t size, uint64_t ms)
{
    for (char **slot = (char **)stack; slot < (char **)(stack + size); slot++)
        *slot = memory + PAGE;
    work_at(stack + size / 2, ms);
}

static atomic_bool over;

/* The stack's page is mapped and unmapped all the time, between any two instructions. */
static void *shift(void *page)
{
    char content[PAGE] = {0};
    struct uffdio_copy copy = {.dst = (uintptr_t)page, .src = (uintptr_t)content, .len = PAGE};
    while (!over) {
        copy.copy = 0;
        CHECK(ioctl(uffd, UFFDIO_COPY, &copy) == 0);
        CHECK(madvise(page, PAGE, MADV_DONTNEED) == 0);
    }
    return NULL;
}

static void work_on_shifting(char *page, uint64_t ms)
{
    pthread_t shifter;
    CHECK(pthread_create(&shifter, NULL, shift, page) == 0);
    work_at(page, ms);
    over = true;
    CHECK(pthread_join(shifter, NULL) == 0);
}

/* The page is locked until the answer comes. */
static void *read_file(void *unused)
{
    char byte;
    int fd = open("mounted/file", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK(read(fd, &byte, 1) < 0);
    return unused;
}

/* Such a mapping first drops all cached pages, and waits until they are unlocked. */
static void *map_file(void *unused)
{
    int fd = open("mounted/file", O_RDONLY | O_DIRECT | O_CLOEXEC);
    CHECK(fd >= 0);
    prctl(PR_SET_NAME, "mapping");
    mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    return unused;
}

__attribute__((noreturn)) static void map_for_good(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, read_file, NULL) == 0);
    while (!*fuse_reads)
        usleep(1000);
    CHECK(pthread_create(&thread, NULL, map_file, NULL) == 0);
    for (;;)
        pause();
}

static bool call_with(const char *name, char *memory, long *result)
{
    uint64_t address = (uintptr_t)memory;
    struct gate_request request = {.magic = GATE_MAGIC};
    if (!strcmp(name, "profil"))
        request = (struct gate_request){GATE_MAGIC, GATE_PROFIL, {address, SIZE, 0, 0}};
    if (!strcmp(name, "sprofil"))
        request = (struct gate_request){GATE_MAGIC, GATE_SPROFIL, {address, 2, 0, 0}};
    if (!strcmp(name, "pcsample"))
        request = (struct gate_request){GATE_MAGIC, GATE_PCSAMPLE, {address, SIZE / sizeof(uint64_t)}};
    return raw_gate_by(SIGURG, !strcmp(name, "request") ? (void *)memory : &request, result);
}

static pid_t start_neighbour(uint64_t ms)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid)
        return pid;
    prctl(PR_SET_NAME, "neighbour");
    spin_cpu_ms(neighbour_work, ms);
    printf("neighbour %lu\n", (unsigned long)(process_cpu_ns() / MILLISECOND_NS));
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    static char usual[1 << 16] __attribute__((aligned(16)));
    long result = 0;
    bool served = false;
    target_begin();
    CHECK(argc == 4);
    uint64_t ms = strtoull(argv[3], NULL, 10);
    bool stack = !strcmp(argv[2], "stack"), shifting = !strcmp(argv[2], "shifting");
    pid_t neighbour = start_neighbour(ms);
    char *memory = !strcmp(argv[1], "fuse") ? fuse_memory(NULL) : uffd_memory();
    bool caller = !strcmp(argv[2], "caller");
    if (!strcmp(argv[2], "mapping"))
        map_for_good();
    if (!stack && !shifting && !caller)
        served = call_with(argv[2], memory, &result);
    if (shifting)
        work_on_shifting(memory, ms);
    else if (caller)
        work_called_from(memory, usual, sizeof usual, ms);
    else
        work_at(stack ? memory : usual + sizeof usual, ms);
    printf("asleep %lu\n%s %ld\n", (unsigned long)(thread_cpu_ns() / MILLISECOND_NS), served ? "served" : "unserved",
           result);
    fflush(stdout);
    CHECK_EXITED(neighbour, 0);
    _exit(0);
}
