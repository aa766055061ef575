/* SPDX-License-Identifier: MIT
 *
 * Uses system time in one way:
 *
 *     system_time touch|turns|call|spin [-s CPU_SECONDS] [-o TRUTH]
 * "touch" writes to new memory each time, and so causes page faults. "call" calls getppid. "spin" does neither.
 * "turns" alternates touch and spin every 20 ms. TRUTH gets lines "NAME MICROSECONDS": the kernel's "user" and
 * "system", their sum "total", and the CPU time of "touch" and "spin" by the thread's own clock. */
#include "target.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

DEFINE_SPIN(spin_only, 0x71)

enum { TOUCHED = 8 << 20, TURN_NS = 20000000 };

__attribute__((noinline, noclone)) static void touch_pages(char *memory)
{
    for (size_t i = 0; i < TOUCHED; i += 4096)
        ((volatile char *)memory)[i] = 1;
}

static void touch(void)
{
    char *memory = mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    madvise(memory, TOUCHED, MADV_NOHUGEPAGE); /* fails on a kernel without huge pages */
    touch_pages(memory);
    CHECK(munmap(memory, TOUCHED) == 0);
}

__attribute__((noinline, noclone)) static void call(void)
{
    for (int i = 0; i < 10000; i++)
        CHECK(syscall(SYS_getppid) > 0);
}

static void spin(void)
{
    spin_only(500000);
}

static uint64_t us_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

static void tell(const char *path, uint64_t touched_ns, uint64_t spun_ns)
{
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    uint64_t user = us_of(usage.ru_utime), system = us_of(usage.ru_stime);
    FILE *file = fopen(path, "we");
    CHECK(file);
    fprintf(file, "user %llu\nsystem %llu\ntotal %llu\ntouch %llu\nspin %llu\n", (unsigned long long)user,
            (unsigned long long)system, (unsigned long long)(user + system), touched_ns / 1000ull, spun_ns / 1000ull);
    CHECK(fclose(file) == 0);
}

int main(int argc, char **argv)
{
    double seconds = 1;
    const char *output = NULL, *kind = argc > 1 ? argv[1] : "";
    for (int option; (option = getopt(argc - 1, argv + 1, "s:o:")) != -1;) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'o')
            output = optarg;
        else
            return 2;
    }
    target_begin();
    bool turns = !strcmp(kind, "turns"), touches = turns || !strcmp(kind, "touch"), calls = !strcmp(kind, "call");
    CHECK(touches || calls || !strcmp(kind, "spin"));

    uint64_t touched = 0, spun = 0, begin = thread_cpu_ns(), at = begin, turn = begin;
    while (at - begin < (uint64_t)(seconds * 1e9)) {
        if (touches)
            touch();
        else if (calls)
            call();
        else
            spin();
        uint64_t now = thread_cpu_ns();
        *(touches ? &touched : &spun) += now - at;
        at = now;
        if (turns && now - turn > TURN_NS) {
            touches = !touches;
            turn = now;
        }
    }
    if (output)
        tell(output, touched, spun);
    return 0;
}
