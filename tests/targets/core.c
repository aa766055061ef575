/* SPDX-License-Identifier: MIT
 *
 * Checks if the wait status of a child that aborts reports a core dump:
 *     core yes|no
 * yes: it must (the limit of core files is raised to its maximum). no: the limit is set to 0, and it must not. */
#include "target.h"

#include <sys/resource.h>

int main(int argc, char **argv)
{
    struct rlimit limit;
    CHECK(argc == 2);
    target_begin();
    bool expected = strcmp(argv[1], "yes") == 0;
    CHECK(getrlimit(RLIMIT_CORE, &limit) == 0);
    limit.rlim_cur = expected ? limit.rlim_max : 0;
    CHECK(!expected || limit.rlim_cur > 0);
    CHECK(setrlimit(RLIMIT_CORE, &limit) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        abort();
    int status = reap(pid);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK(!!WCOREDUMP(status) == expected);
    return 0;
}
