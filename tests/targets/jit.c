/* SPDX-License-Identifier: MIT
 *
 * Runs generated code, and names it in /tmp/perf-PID.map like a just-in-time compiler:
 *
 *     jit [CPU_MS [first|grows|last]]
 * The map is written before the code runs, in parts (each function before it runs), or at the end. The file remains
 * when the process ends: a profiler may read it then. */
#include "target.h"

#include <sys/mman.h>

typedef uint64_t generated(uint64_t rounds, uint64_t number);

static unsigned char *page;
static const unsigned places[] = {0x140, 0x180};
static const char *const names[] = {"made_first", "Made::second(int, \"x;y\")"};

/* 1: dec %rdi; jnz 1b; lea 7(%rsi),%rax; ret */
static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0x48, 0x8d, 0x46, 0x07, 0xc3};

/* An earlier process with this number may have left one. */
static void remove_map(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    unlink(path);
}

static void make_code(void)
{
    enum { SIZE = 8192 };
    page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    for (int i = 0; i < 2; i++)
        memcpy(page + places[i], code, sizeof code);
    CHECK(mprotect(page, SIZE, PROT_READ | PROT_EXEC) == 0);
}

static void name_code(int number)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    CHECK(fd >= 0);
    int length = snprintf(text, sizeof text, "%lx %zx %s\n", (unsigned long)(uintptr_t)(page + places[number]),
                          sizeof code, names[number]);
    CHECK(write(fd, text, (size_t)length) == length && close(fd) == 0);
}

static void run_code(int number, uint64_t ms)
{
    generated *run;
    *(void **)&run = page + places[number];
    for (uint64_t end = thread_cpu_ns() + ms * MILLISECOND_NS; thread_cpu_ns() < end;)
        CHECK(run(1000000, (uint64_t)number) == (uint64_t)number + 7);
}

int main(int argc, char **argv)
{
    const char *when = argc > 2 ? argv[2] : "first";
    target_begin();
    make_code();
    if (strcmp(when, "never"))
        remove_map();
    for (int i = 0; i < 2 && !strcmp(when, "first"); i++)
        name_code(i);
    for (int i = 0; i < 2; i++) {
        if (!strcmp(when, "grows"))
            name_code(i);
        run_code(i, (argc > 1 ? (uint64_t)atoi(argv[1]) : 300) / 2);
    }
    for (int i = 0; i < 2 && !strcmp(when, "last"); i++)
        name_code(i);
    return 0;
}
