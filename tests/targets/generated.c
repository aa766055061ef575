/* SPDX-License-Identifier: MIT
 *
 * Stacks that lead through generated code, as in runtimes: no unwind tables, no frame pointers, and each function
 * named in /tmp/perf-PID.map.
 *
 *     generated [CPU_MS [KIND]]
 * The stack is main; py::outer; evaluate; Java.run; evaluate; py::inner; evaluate; made_leaf. The trampolines are
 * those of CPython 3.12 and later. Java.run is like HotSpot's functions, with another value in the frame pointer
 * register. The file remains. With KIND shared or memfd, the code is in memory that can be mapped a second time. */
#include "target.h"

#include <sys/mman.h>

typedef uint64_t evaluator(uint64_t level, uint64_t ms, uint64_t unused);
typedef uint64_t caller(uint64_t level, uint64_t ms, uint64_t unused, evaluator *called);
typedef uint64_t leaf(uint64_t rounds);

/* sub $8,%rsp; call *%rcx; add $8,%rsp; ret */
#define TRAMPOLINE "\x48\x83\xec\x08\xff\xd1\x48\x83\xc4\x08\xc3"
/* mov %eax,-0x2000(%rsp); push %rbp; sub $0x20,%rsp; mov $42,%ebp; call *%rcx; test %rax,%rax; je 1f; hlt;
 * 1: add $0x20,%rsp; pop %rbp; ret */
#define FRAME                                                                                                          \
    "\x89\x84\x24\x00\xe0\xff\xff\x55\x48\x83\xec\x20\xbd\x2a\x00\x00\x00\xff\xd1\x48\x85\xc0\x74\x01\xf4\x48\x83"     \
    "\xc4\x20\x5d\xc3"
/* sub $0x18,%rsp; 1: dec %rdi; jnz 1b; xor %eax,%eax; add $0x18,%rsp; ret */
#define LEAF "\x48\x83\xec\x18\x48\xff\xcf\x75\xfb\x31\xc0\x48\x83\xc4\x18\xc3"

static const struct {
    const char *name, *code;
    size_t size, place;
} made[] = {
    {"py::outer:/a/b.py", TRAMPOLINE, sizeof TRAMPOLINE - 1, 0x40},
    {"void Java.run(int)", FRAME, sizeof FRAME - 1, 0x1080}, /* in another page */
    {"py::inner:/a/b.py", TRAMPOLINE, sizeof TRAMPOLINE - 1, 0x60},
    {"made_leaf", LEAF, sizeof LEAF - 1, 0x1ff8}, /* in two pages */
};

enum { MADE = sizeof made / sizeof *made, SIZE = 3 * 4096 };

static unsigned char *pages;

static void make_code(const char *kind)
{
    bool memfd = !strcmp(kind, "memfd"), shared = memfd || !strcmp(kind, "shared");
    int fd = memfd ? memfd_create("code", MFD_CLOEXEC) : -1;
    CHECK(!memfd || (fd >= 0 && ftruncate(fd, SIZE) == 0));
    char path[64], text[1024] = "";
    size_t length = 0;
    pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, (shared ? MAP_SHARED : MAP_PRIVATE) | (memfd ? 0 : MAP_ANONYMOUS),
                 fd, 0);
    CHECK(pages != MAP_FAILED);
    for (int i = 0; i < MADE; i++) {
        memcpy(pages + made[i].place, made[i].code, made[i].size);
        length += (size_t)snprintf(text + length, sizeof text - length, "%lx %zx %s\n",
                                   (unsigned long)(uintptr_t)(pages + made[i].place), made[i].size, made[i].name);
    }
    CHECK(mprotect(pages, SIZE, PROT_READ | PROT_EXEC) == 0);
    snprintf(path, sizeof path, "/tmp/perf-%d.map", getpid());
    write_file(path, text);
}

/* Calls the generated function of LEVEL, which calls this function for the next level. */
__attribute__((noinline)) static uint64_t evaluate(uint64_t level, uint64_t ms, uint64_t unused)
{
    uint64_t result = 0, end = thread_cpu_ns() + ms * MILLISECOND_NS;
    caller *call;
    leaf *run;
    *(void **)&call = *(void **)&run = pages + made[level].place;
    if (level + 1 < MADE)
        return call(level + 1, ms, unused, evaluate) + unused;
    while (thread_cpu_ns() < end)
        result += run(1000000);
    return result;
}

int main(int argc, char **argv)
{
    target_begin();
    make_code(argc > 2 ? argv[2] : "private");
    CHECK(evaluate(0, argc > 1 ? (uint64_t)atoi(argv[1]) : 300, 0) == 0);
    return 0;
}
