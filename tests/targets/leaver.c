/* SPDX-License-Identifier: MIT
 *
 * Processes that use most of their CPU time in the kernel when they leave their memory:
 *     leaver exit COUNT TRUTH
 * The CPU time that they used after their last instruction goes to TRUTH, a line "exit MICROSECONDS", and the part of
 * all their time that was system time, as "system MICROSECONDS". leaver exec COUNT executes this program COUNT times,
 * one after another, in one process. */
#include "target.h"

#include <sys/mman.h>
#include <sys/resource.h>

enum { MEMORY = 64 << 20, PAGE = 4096 };

/* Freeing many small pages takes milliseconds. */
static void fill_memory(void)
{
    char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    madvise(memory, MEMORY, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < MEMORY; i += PAGE)
        ((volatile char *)memory)[i] = 1;
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_usec * 1000;
}

/* Returns the CPU time in nanoseconds that a process uses after its last reading of the clock. Adds its system time
 * to *SYSTEM_NS. */
static uint64_t run_process(uint64_t *system_ns)
{
    int result[2], status;
    uint64_t at_ns;
    struct rusage used;
    CHECK(pipe(result) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        fill_memory();
        at_ns = process_cpu_ns();
        CHECK(write(result[1], &at_ns, sizeof at_ns) == sizeof at_ns);
        _exit(0);
    }
    CHECK(read(result[0], &at_ns, sizeof at_ns) == sizeof at_ns);
    CHECK(wait4(pid, &status, 0, &used) == pid && status == 0);
    close(result[0]);
    close(result[1]);
    *system_ns += ns_of(used.ru_stime);
    uint64_t all_ns = ns_of(used.ru_utime) + ns_of(used.ru_stime);
    return all_ns > at_ns ? all_ns - at_ns : 0;
}

static int execute_again(char *program, int count)
{
    char left[16];
    if (count <= 0)
        return 0;
    snprintf(left, sizeof left, "%d", count - 1);
    execv("/proc/self/exe", (char *[]){program, (char *)"exec", left, NULL});
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "exec"))
        return execute_again(argv[0], atoi(argv[2]));
    CHECK(argc == 4 && !strcmp(argv[1], "exit"));
    uint64_t ns = 0, system_ns = 0;
    for (int i = atoi(argv[2]); i > 0; i--)
        ns += run_process(&system_ns);
    FILE *file = fopen(argv[3], "w");
    CHECK(file != NULL);
    CHECK(fprintf(file, "exit %llu\nsystem %llu\n", (unsigned long long)ns / 1000,
                  (unsigned long long)system_ns / 1000) > 0);
    CHECK(fclose(file) == 0);
    return 0;
}
