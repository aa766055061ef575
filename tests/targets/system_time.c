/* SPDX-License-Identifier: MIT
 *
 * Uses system time in one way:
 *
 *     system_time touch|turns|call|spin|short [-s CPU_SECONDS] [-o TRUTH]
 * "touch" writes to new memory each time, and so causes page faults. "call" calls getppid. "spin" does neither.
 * "turns" alternates touch and spin every 20 ms. "short" does a little of touch and spin in each of many short
 * processes; the kernel's account of these is the sum of their scheduler ticks. TRUTH gets lines "NAME MICROSECONDS":
 * the kernel's "user" and "system", their sum "total", and the CPU time of "touch" and "spin" by the thread's own
 * clock. */
#include "target.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

DEFINE_SPIN(spin_only, 0x71)

enum { TOUCHED = 8 << 20, TURN_NS = 20000000, SHORT_TOUCHED = 1 << 20, SHORT_SPUN = 300000 };

__attribute__((noinline, noclone)) static void touch_pages(char *memory, size_t size)
{
    for (size_t i = 0; i < size; i += 4096)
        ((volatile char *)memory)[i] = 1;
}

static void touch(size_t size)
{
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    madvise(memory, size, MADV_NOHUGEPAGE); /* fails on a kernel without huge pages */
    touch_pages(memory, size);
    CHECK(munmap(memory, size) == 0);
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

static uint64_t read_clock(clockid_t clock)
{
    struct timespec time;
    CHECK(clock_gettime(clock, &time) == 0);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* CPU time of processes, exact and in scheduler ticks. */
struct account {
    uint64_t all_ns, ticks_ns, user_ns;
};

/* Adds the account of PID, which has not been reaped. The last bits of the clock's number choose between the times. */
static void add_account(struct account *sum, pid_t pid)
{
    clockid_t clock;
    CHECK(clock_getcpuclockid(pid, &clock) == 0);
    sum->all_ns += read_clock(clock);
    sum->ticks_ns += read_clock(clock & ~3);
    sum->user_ns += read_clock((clock & ~3) | 1);
}

static void run_short(struct account *sum)
{
    siginfo_t info;
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        touch(SHORT_TOUCHED);
        spin_only(SHORT_SPUN);
        _exit(0);
    }
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
    add_account(sum, pid);
    CHECK(waitpid(pid, NULL, 0) == pid);
}

static int run_all_short(uint64_t ns, const char *path)
{
    struct account sum = {0};
    while (sum.all_ns < ns)
        run_short(&sum);
    add_account(&sum, getpid());
    double user = (double)sum.all_ns / 1000 * (double)sum.user_ns / (double)sum.ticks_ns;
    FILE *file = path ? fopen(path, "we") : NULL;
    CHECK(file);
    fprintf(file, "user %.0f\nsystem %.0f\ntotal %.0f\n", user, (double)sum.all_ns / 1000 - user,
            (double)sum.all_ns / 1000);
    CHECK(fclose(file) == 0);
    return 0;
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
    if (!strcmp(kind, "short"))
        return run_all_short((uint64_t)(seconds * 1e9), output);
    bool turns = !strcmp(kind, "turns"), touches = turns || !strcmp(kind, "touch"), calls = !strcmp(kind, "call");
    CHECK(touches || calls || !strcmp(kind, "spin"));

    uint64_t touched = 0, spun = 0, begin = thread_cpu_ns(), at = begin, turn = begin;
    while (at - begin < (uint64_t)(seconds * 1e9)) {
        if (touches)
            touch(TOUCHED);
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
