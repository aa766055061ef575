/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CASE_SECONDS 300 /* some cases need seconds of CPU time, which take long on a busy machine */
#define EXIT_BASE 64     /* conformance_end exits with this plus the outcome */
#define CONTINUE "--continue"

extern char **environ;

/* All processes of a case share it, even after exec. */
struct report {
    atomic_int outcome;
    char text[sizeof((struct run_result *)NULL)->text];
};
static struct report *report;
static int report_file = -1;

const struct semantics *conformance_system;
bool conformance_oracle;

static bool map_report(void)
{
    void *mapped = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED, report_file, 0);

    report = mapped == MAP_FAILED ? NULL : mapped;
    return report;
}

bool run_begin(void)
{
    report_file = memfd_create("report", 0); /* continuations inherit it */
    return report_file >= 0 && ftruncate(report_file, sizeof *report) == 0 && map_report();
}

void conformance_end(enum conformance_outcome outcome, const char *format, ...)
{
    int none = OUTCOME_SHOWN;
    va_list arguments;

    if (atomic_compare_exchange_strong(&report->outcome, &none, (int)outcome)) {
        va_start(arguments, format);
        vsnprintf(report->text, sizeof report->text, format, arguments);
        va_end(arguments);
    }
    _exit(EXIT_BASE + (int)outcome);
}

void conformance_ticks(const char *what, uint64_t seen, uint64_t expected, uint64_t tolerance)
{
    uint64_t off = seen > expected ? seen - expected : expected - seen;

    if (conformance_oracle) /* the C library's timer expires only at ticks of the kernel */
        tolerance += 2 + expected / 10;
    if (off > tolerance)
        conformance_end(OUTCOME_OFF_COUNT, "%s: %llu ticks, not %llu (%llu more or less are allowed)", what,
                        (unsigned long long)seen, (unsigned long long)expected, (unsigned long long)tolerance);
}

void conformance_reap(pid_t pid)
{
    int status;
    pid_t reaped;

    do
        reaped = waitpid(pid, &status, __WALL);
    while (reaped < 0 && errno == EINTR);
    CHECK(reaped == pid, "a process of the case cannot be waited for: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) > EXIT_BASE)
        _exit(WEXITSTATUS(status)); /* the process has reported its failure */
    CHECK(status == 0, "a process of the case ended with wait status 0x%x", (unsigned)status);
}

pid_t conformance_fork(void (*function)(void *), void *argument)
{
    pid_t pid = fork();

    CHECK(pid >= 0, "fork: %s", strerror(errno));
    if (pid == 0) {
        function(argument);
        _exit(0);
    }
    return pid;
}

struct command {
    char file[16];
    char *words[6];
};

static void set_command(struct command *command, const char *name)
{
    char *const words[] = {(char *)"ptprofil-conformance",
                           (char *)CONTINUE,
                           (char *)conformance_system->name,
                           command->file,
                           (char *)name,
                           NULL};

    snprintf(command->file, sizeof command->file, "%d", report_file);
    memcpy(command->words, words, sizeof words);
}

void conformance_exec(const char *name)
{
    struct command command;

    set_command(&command, name);
    execve("/proc/self/exe", command.words, environ);
    conformance_end(OUTCOME_BROKEN, "exec of /proc/self/exe: %s", strerror(errno));
}

pid_t conformance_spawn(const char *name)
{
    struct command command;
    pid_t pid;
    int error;

    set_command(&command, name);
    error = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, command.words, environ);
    CHECK(error == 0, "posix_spawn of /proc/self/exe: %s", strerror(error));
    return pid;
}

bool run_continuation(int count, char **arguments)
{
    const struct conformance_continuation *item = conformance_continuations;

    if (count != 4 || strcmp(arguments[0], CONTINUE) != 0)
        return false;
    conformance_system = semantics_find(arguments[1]);
    report_file = atoi(arguments[2]);
    if (!conformance_system || !map_report())
        return false;
    while (item->name && strcmp(item->name, arguments[3]) != 0)
        item++;
    if (!item->name)
        return false;
    item->run();
    return true;
}

/* Waits up to CASE_SECONDS for process PID. Returns its wait status, or -1 if it was killed at the limit. */
static int wait_for(pid_t pid)
{
    int file = (int)syscall(SYS_pidfd_open, pid, 0), status = 0, ready;
    struct pollfd end = {.fd = file, .events = POLLIN};

    do
        ready = poll(&end, 1, CASE_SECONDS * 1000);
    while (ready < 0 && errno == EINTR);
    if (file >= 0)
        close(file);
    kill(-pid, SIGKILL); /* processes that the case left behind */
    if (ready == 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return ready == 0 ? -1 : status;
}

static void run_once(const struct conformance_case *item, struct run_result *result)
{
    pid_t pid;
    int status;

    memset(report, 0, sizeof *report);
    result->attempts++;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        /* not prctl(): ptprofil expects a program that links prctl() to filter its calls */
        syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        item->run();
        _exit(0);
    }
    setpgid(pid, pid);
    status = pid < 0 ? 0 : wait_for(pid);
    result->outcome = (enum conformance_outcome)atomic_load(&report->outcome);
    memcpy(result->text, report->text, sizeof result->text);
    if (status == 0 || result->outcome != OUTCOME_SHOWN)
        return;
    result->outcome = OUTCOME_BROKEN;
    if (status == -1)
        snprintf(result->text, sizeof result->text, "killed after %d seconds", CASE_SECONDS);
    else
        snprintf(result->text, sizeof result->text, "ended with wait status 0x%x (%s)", (unsigned)status,
                 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "without a word");
}

struct run_result run_case(const struct conformance_case *item)
{
    struct run_result result = {0};

    for (;;) {
        run_once(item, &result);
        if (result.outcome != OUTCOME_OFF_COUNT || result.attempts == RUN_ATTEMPTS)
            return result;
        printf("# %s\n", result.text);
    }
}
