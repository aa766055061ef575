/* SPDX-License-Identifier: MIT
 *
 * Half of its CPU time is in long system calls:
 *
 *     kernel_half [-s CPU_SECONDS] [-o TRUTH]
 * TRUTH gets lines "NAME MICROSECONDS": "user" for spin_user, "read" for large reads, both by the thread's own
 * clock, and "total" for the process. */
#include "target.h"

#include <sys/mman.h>

DEFINE_SPIN(spin_user, 0x44)

enum { READ_SIZE = 32 << 20 };

static void read_all(int fd, char *buffer)
{
    for (size_t got = 0; got < READ_SIZE;) {
        ssize_t count = read(fd, buffer + got, READ_SIZE - got);
        CHECK(count > 0);
        got += (size_t)count;
    }
}

int main(int argc, char **argv)
{
    double seconds = 1;
    const char *output = NULL;
    for (int option; (option = getopt(argc, argv, "s:o:")) != -1;) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'o')
            output = optarg;
        else
            return 2;
    }
    target_begin();
    int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    CHECK(zero >= 0);
    char *buffer = mmap(NULL, READ_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    CHECK(buffer != MAP_FAILED);

    uint64_t rounds = 3 * rounds_per_ms(spin_user);
    uint64_t user = 0, kernel = 0, begin = thread_cpu_ns(), at = begin;
    while (at - begin < (uint64_t)(seconds * 1e9)) {
        bool in_kernel = kernel < user;
        if (in_kernel)
            read_all(zero, buffer);
        else
            spin_user(rounds);
        uint64_t now = thread_cpu_ns();
        *(in_kernel ? &kernel : &user) += now - at;
        at = now;
    }
    if (output) {
        FILE *file = fopen(output, "we");
        CHECK(file);
        fprintf(file, "user %llu\nread %llu\ntotal %llu\n", user / 1000ull, kernel / 1000ull,
                process_cpu_ns() / 1000ull);
        CHECK(fclose(file) == 0);
    }
    return 0;
}
