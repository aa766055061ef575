/* SPDX-License-Identifier: MIT
 *
 * Whether a child that aborts is told to have dumped core:
 *     core yes|no
 * yes: it must be (the core's limit is raised as far as it goes); no: the limit is set to 0 and it must not be. */
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
