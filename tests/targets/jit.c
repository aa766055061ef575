/* SPDX-License-Identifier: MIT
 *
 * Runs code that it makes itself, and names it in /tmp/perf-PID.map as just-in-time compilers do:
 *     jit [CPU_MS]
 * The file stays when it ends: a profiler may read it then. */
#include "target.h"

#include <sys/mman.h>

int main(int argc, char **argv)
{
    /* 1: dec %rdi; jnz 1b; lea 7(%rsi),%rax; ret */
    static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0x48, 0x8d, 0x46, 0x07, 0xc3};
    enum { SIZE = 8192, OFFSET = 0x140 };
    char path[64], text[256];
    target_begin();
    unsigned char *page = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    memcpy(page + OFFSET, code, sizeof code);
    memcpy(page + OFFSET + 64, code, sizeof code);
    CHECK(mprotect(page, SIZE, PROT_READ | PROT_EXEC) == 0);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    snprintf(text, sizeof text, "%lx %zx made_first\n%lx %zx Made::second(int, \"x;y\")\n",
             (unsigned long)(uintptr_t)(page + OFFSET), sizeof code,
             (unsigned long)(uintptr_t)(page + OFFSET + 64), sizeof code);
    write_file(path, text);
    uint64_t (*first)(uint64_t, uint64_t), (*second)(uint64_t, uint64_t);
    *(void **)&first = page + OFFSET;
    *(void **)&second = page + OFFSET + 64;
    uint64_t end = thread_cpu_ns() + (argc > 1 ? (uint64_t)atoi(argv[1]) : 300) * MILLISECOND_NS;
    while (thread_cpu_ns() < end)
        CHECK(first(1000000, 1) == 8 && second(1000000, 2) == 9);
    return 0;
}
