/* SPDX-License-Identifier: MIT */
/* Runs a command and prints the CPU time of all its processes, including those that outlive it or leave its
 * session. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t children_ns(void)
{
    struct rusage u;

    getrusage(RUSAGE_CHILDREN, &u);
    return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS_PER_S +
           (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

static int wait_for_all(pid_t command)
{
    int status, result = 125;
    pid_t pid;

    while ((pid = wait(&status)) > 0 || errno == EINTR)
        if (pid == command)
            result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

int main(int argc, char **argv)
{
    uint64_t begin;
    pid_t command;
    int result;
    FILE *out;

    if (argc < 4 || strcmp(argv[2], "--") != 0) {
        fputs("usage: measure FILE -- CMD [ARG...]\n", stderr);
        return 2;
    }
    out = fopen(argv[1], "we");
    if (out == NULL)
        die(argv[1]);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    begin = now_ns();
    command = fork();
    if (command < 0)
        die("fork");
    if (command == 0) {
        execvp(argv[3], argv + 3);
        fprintf(stderr, "measure: %s: %s\n", argv[3], strerror(errno));
        _exit(127);
    }
    result = wait_for_all(command);
    fprintf(out, "total_wall_ns=%llu total_cpu_ns=%llu\n", (unsigned long long)(now_ns() - begin),
            (unsigned long long)children_ns());
    fclose(out);
    return result;
}
