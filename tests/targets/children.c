/* SPDX-License-Identifier: MIT
 *
 * Short-lived children, two at a time, and the CPU time of the whole family as the kernel accounts it:
 *     children [-n CHILDREN] [-m CPU_MS] [-o TRUTH]
 * TRUTH gets "children MICROSECONDS" and "total MICROSECONDS". */
#include "target.h"

#include <sys/resource.h>

DEFINE_SPIN(short_lived_work, 0x55)

static unsigned long long used_us(int who)
{
    struct rusage usage;
    CHECK(getrusage(who, &usage) == 0);
    return (unsigned long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000ull +
           (unsigned long long)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static pid_t start(unsigned number, unsigned milliseconds)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        spin_cpu_ms(short_lived_work, milliseconds);
        _exit((int)number & 63);
    }
    return pid;
}

int main(int argc, char **argv)
{
    unsigned count = 8, milliseconds = 50;
    const char *output = NULL;
    for (int option; (option = getopt(argc, argv, "n:m:o:")) != -1;) {
        if (option == 'n')
            count = (unsigned)atoi(optarg);
        else if (option == 'm')
            milliseconds = (unsigned)atoi(optarg);
        else if (option == 'o')
            output = optarg;
        else
            return 2;
    }
    target_begin();
    for (unsigned i = 0; i < count; i += 2) {
        pid_t first = start(i, milliseconds), second = start(i + 1, milliseconds);
        CHECK_EXITED(second, (int)(i + 1) & 63);
        CHECK_EXITED(first, (int)i & 63);
    }
    if (output) {
        FILE *file = fopen(output, "we");
        CHECK(file);
        fprintf(file, "children %llu\ntotal %llu\n", used_us(RUSAGE_CHILDREN),
                used_us(RUSAGE_CHILDREN) + process_cpu_ns() / 1000ull);
        CHECK(fclose(file) == 0);
    }
    return 0;
}
