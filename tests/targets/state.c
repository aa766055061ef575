/* SPDX-License-Identifier: MIT
 *
 * Prints everything that a process inherits from its parent, one item a line, to compare two runs. Data that differs
 * in each run is left out. With an argument, the output goes to that file, only when it is complete. */
#include "target.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

static char *output;
static size_t output_size;
static FILE *out;

static void show_identity(int argc, char **argv)
{
    extern char **environ;
    char text[4096];
    for (int i = 0; i < argc; i++)
        fprintf(out, "argument %d: %s\n", i, argv[i]);
    for (char **entry = environ; *entry; entry++)
        fprintf(out, "environment: %s\n", *entry);
    CHECK(getcwd(text, sizeof text));
    fprintf(out, "directory: %s\n", text);
    ssize_t length = readlink("/proc/self/exe", text, sizeof text - 1);
    CHECK(length > 0);
    text[length] = 0;
    fprintf(out, "program: %s\n", text);
    fprintf(out, "users: %d %d, groups: %d %d\n", getuid(), geteuid(), getgid(), getegid());
    fprintf(out, "process group %d, session %d, leader %d\n", getpgrp(), getsid(0), getpgrp() == getpid());
    mode_t mask = umask(0);
    umask(mask);
    fprintf(out, "umask: %03o\n", mask);
}

static void show_limits(void)
{
    for (int resource = 0; resource < RLIMIT_NLIMITS; resource++) {
        struct rlimit limit;
        CHECK(getrlimit(resource, &limit) == 0);
        fprintf(out, "limit %d: %llu %llu\n", resource, (unsigned long long)limit.rlim_cur,
                (unsigned long long)limit.rlim_max);
    }
}

static void show_scheduling(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
        uint32_t clamp_min, clamp_max;
    } attributes = {0};
    CHECK(syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0);
    fprintf(out, "policy %u, flags %llu, nice %d, priority %u, runtime %llu, deadline %llu, period %llu, clamp %u %u\n",
            attributes.policy, (unsigned long long)attributes.flags, attributes.nice, attributes.priority,
            (unsigned long long)attributes.runtime, (unsigned long long)attributes.deadline,
            (unsigned long long)attributes.period, attributes.clamp_min, attributes.clamp_max);
    errno = 0;
    int niceness = getpriority(PRIO_PROCESS, 0);
    CHECK(errno == 0);
    fprintf(out, "niceness: %d\n", niceness);
    cpu_set_t set;
    CPU_ZERO(&set);
    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            fprintf(out, "may run on CPU %d\n", cpu);
    fprintf(out, "I/O priority: %ld\n", syscall(SYS_ioprio_get, 1, 0));
    fprintf(out, "timer slack: %d\n", prctl(PR_GET_TIMERSLACK));
}

static void show_signals(void)
{
    sigset_t mask, pending;
    CHECK(sigprocmask(SIG_BLOCK, NULL, &mask) == 0 && sigpending(&pending) == 0);
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction action;
        if (sigaction(signal, NULL, &action) != 0)
            continue;
        fprintf(out, "signal %d: %s, flags 0x%x%s%s\n", signal,
                action.sa_handler == SIG_DFL   ? "default"
                : action.sa_handler == SIG_IGN ? "ignored"
                                               : "handled",
                (unsigned)action.sa_flags, sigismember(&mask, signal) == 1 ? ", blocked" : "",
                sigismember(&pending, signal) == 1 ? ", pending" : "");
    }
    stack_t stack;
    CHECK(sigaltstack(NULL, &stack) == 0);
    fprintf(out, "alternate stack: %d\n", stack.ss_flags);
    for (int timer = ITIMER_REAL; timer <= ITIMER_PROF; timer++) {
        struct itimerval value;
        CHECK(getitimer(timer, &value) == 0);
        fprintf(out, "timer %d: %s\n", timer, value.it_value.tv_sec || value.it_value.tv_usec ? "armed" : "off");
    }
}

static void show_controls(void)
{
    int value = -1;
    fprintf(out, "personality: 0x%x\n", (unsigned)personality(0xffffffff));
    CHECK(prctl(PR_GET_PDEATHSIG, &value) == 0);
    fprintf(out, "signal at the parent's death: %d\n", value);
    CHECK(prctl(PR_GET_CHILD_SUBREAPER, &value) == 0);
    fprintf(out, "subreaper: %d\n", value);
    fprintf(out, "dumpable: %d, keep capabilities: %d, no new privileges: %d, seccomp: %d, securebits: %d\n",
            prctl(PR_GET_DUMPABLE), prctl(PR_GET_KEEPCAPS), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
            prctl(PR_GET_SECCOMP), prctl(PR_GET_SECUREBITS));
    fprintf(out, "no huge pages: %d, I/O flusher: %d\n", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0),
            prctl(PR_GET_IO_FLUSHER, 0, 0, 0, 0));
    CHECK(prctl(PR_GET_TSC, &value) == 0);
    fprintf(out, "time stamp counter: %d\n", value);
}

/* Prints the lines of /proc/self/NAME; with PREFIXES (a 0-terminated list) only those that begin with one of them. */
static void show_file(const char *name, const char *const *prefixes)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/self/%s", name);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        bool wanted = !prefixes;
        for (const char *const *prefix = prefixes; prefix && *prefix; prefix++)
            wanted |= strncmp(line, *prefix, strlen(*prefix)) == 0;
        if (wanted)
            fprintf(out, "%s: %s%s", name, line, strchr(line, '\n') ? "" : "\n");
    }
    if (file)
        fclose(file);
}

static int compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void show_descriptors(void)
{
    int numbers[4096], count = 0;
    DIR *directory = opendir("/proc/self/fd");
    CHECK(directory);
    for (struct dirent *entry; (entry = readdir(directory)) && count < 4096;)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(directory))
            numbers[count++] = atoi(entry->d_name);
    closedir(directory);
    qsort(numbers, (size_t)count, sizeof *numbers, compare_numbers);
    for (int i = 0; i < count; i++) {
        char path[64], target[4096];
        snprintf(path, sizeof path, "/proc/self/fd/%d", numbers[i]);
        ssize_t length = readlink(path, target, sizeof target - 1);
        CHECK(length > 0);
        target[length] = 0;
        fprintf(out, "descriptor %d: %s, flags 0x%x 0x%x, offset %lld, terminal %d\n", numbers[i], target,
                (unsigned)fcntl(numbers[i], F_GETFD), (unsigned)fcntl(numbers[i], F_GETFL),
                (long long)lseek(numbers[i], 0, SEEK_CUR), isatty(numbers[i]));
    }
}

static void show_family(void)
{
    errno = 0;
    pid_t pid = waitpid(-1, NULL, __WALL | WNOHANG);
    fprintf(out, "children: %s\n", pid == -1 && errno == ECHILD ? "none" : "some");
}

int main(int argc, char **argv)
{
    static const char *const lines[] = {"Umask",        "Groups",       "Uid",         "Gid",      "CapInh",  "CapPrm",
                                        "CapEff",       "CapBnd",       "CapAmb",      "NoNew",    "Seccomp", "Threads",
                                        "Cpus_allowed", "Mems_allowed", "SigPnd",      "ShdPnd",   "SigBlk",  "SigIgn",
                                        "SigCgt",       "Speculation",  "THP_enabled", "CoreDump", NULL};
    out = open_memstream(&output, &output_size);
    CHECK(out);
    show_descriptors();
    show_family();
    show_identity(argc, argv);
    show_limits();
    show_scheduling();
    show_signals();
    show_controls();
    show_file("status", lines);
    show_file("oom_score_adj", NULL);
    show_file("coredump_filter", NULL);
    show_file("autogroup", NULL);
    show_file("cgroup", NULL);
    show_file("loginuid", NULL);
    show_file("comm", NULL);
    CHECK(fclose(out) == 0);
    if (argc > 1)
        write_file(argv[1], output);
    else
        CHECK(write(STDOUT_FILENO, output, output_size) == (ssize_t)output_size);
    return 0;
}
