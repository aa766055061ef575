/* SPDX-License-Identifier: MIT
 *
 * Executes itself again and again, under the names of its symbolic links if it has any:
 *
 *     exec_chain LINKS [NAME...]
 * Each link of the chain works for EXEC_CHAIN_MS (12) of CPU time in link_work. The pid and the descriptors stay.
 * Ends with status 41. */
#include "target.h"

DEFINE_SPIN(link_work, 0x601)

int main(int argc, char **argv)
{
    int left = argc > 1 ? atoi(argv[1]) : 50;
    char number[16], pid[16];
    const char *first = getenv("EXEC_CHAIN_PID"), *ms = getenv("EXEC_CHAIN_MS");
    target_begin();
    CHECK(argc >= 3);
    CHECK(!first || atoi(first) == getpid());
    spin_cpu_ms(link_work, ms ? strtoull(ms, NULL, 10) : 12);
    if (left == 0) {
        puts("exec_chain: done");
        return 41;
    }
    snprintf(number, sizeof number, "%d", left - 1);
    snprintf(pid, sizeof pid, "%d", getpid());
    CHECK(setenv("EXEC_CHAIN_PID", pid, 1) == 0);
    argv[1] = number;
    /* a failing exec in between must have no effect */
    CHECK(execv("/nonexistent/program", argv) == -1 && errno == ENOENT);
    execv(argv[2 + left % (argc - 2)], argv);
    die("exec %s: %s", argv[2 + left % (argc - 2)], strerror(errno));
}
