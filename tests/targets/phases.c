/* SPDX-License-Identifier: MIT
 *
 * Works in one function and then in another one, and records the times.
 *
 *     phases [-m MILLISECONDS] [-o TRUTH] [-w FILE]
 * It works for MILLISECONDS of CPU time in each, with a nap between them. For each of the two, TRUTH gets its name,
 * begin and end, in nanoseconds of real time. With -w, it creates FILE.first and FILE.second when it is about to
 * begin, and begins only when FILE.first.go and FILE.second.go exist. After both it waits for FILE.end.go. */
#include "target.h"

DEFINE_SPIN(phase_first, 0xa01)
DEFINE_SPIN(phase_second, 0xa02)

static const char *files;

/* Reports that NAME is reached, and waits until it may continue. */
static void await(const char *name)
{
    char path[4096];
    if (!files)
        return;
    snprintf(path, sizeof path, "%s.%s", files, name);
    write_file(path, name);
    snprintf(path, sizeof path, "%s.%s.go", files, name);
    while (access(path, F_OK) != 0)
        nap_ms(5);
}

static void run(const char *name, spin_function *function, uint64_t milliseconds, FILE *truth)
{
    await(name);
    nap_ms(50);
    uint64_t began = clock_ns(CLOCK_REALTIME);
    spin_cpu_ms(function, milliseconds);
    fprintf(truth, "%s %llu %llu\n", name, (unsigned long long)began, (unsigned long long)clock_ns(CLOCK_REALTIME));
    nap_ms(50);
}

int main(int argc, char **argv)
{
    uint64_t milliseconds = 300;
    const char *output = "/dev/null";
    for (int option; (option = getopt(argc, argv, "m:o:w:")) != -1;) {
        switch (option) {
        case 'm':
            milliseconds = strtoull(optarg, NULL, 10);
            break;
        case 'o':
            output = optarg;
            break;
        case 'w':
            files = optarg;
            break;
        default:
            return 2;
        }
    }
    target_begin();
    FILE *truth = fopen(output, "w");
    CHECK(truth);
    run("first", phase_first, milliseconds, truth);
    run("second", phase_second, milliseconds, truth);
    await("end");
    CHECK(fclose(truth) == 0);
    return 0;
}
