/* SPDX-License-Identifier: MIT */
#include "front/cli/run.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/time.h"
#include "common/text/say.h"
#include "front/cli/commands.h"
#include "front/cli/other_tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_IN_S UINT64_C(1000000000)

int run_failed(const struct error *error)
{
    say_line(stderr, "%s", error->text);
    return STATUS_FAILED;
}

/* Suggests one of our own commands, or attaching to a process, unless "--" marks the beginning of a command. */
static void say_not_found(const char *command, bool bare)
{
    const char *why = strchr(command, '/') ? strerror(ENOENT) : "command not found";
    const char *near = bare ? commands_nearest(command) : NULL,
               *other = bare ? other_tools_command(command, false) : NULL;
    bool number = bare && !command[strspn(command, "0123456789")];
    if (other)
        say_line(stderr, "%s: %s; %s", command, why, other);
    else if (near)
        say_line(stderr, "%s: %s; did you mean 'ptprofil %s'?", command, why, near);
    else
        say_line(stderr, "%s: %s%s%s%s", command, why, number ? "; did you mean 'ptprofil -p " : "",
                 number ? command : "", number ? "'?" : "");
}

int run_not_executed(const struct options *options, int failed)
{
    const char *command = options->session.command[0];
    if (failed == ENOENT) {
        say_not_found(command, options->bare);
        return STATUS_NOT_FOUND;
    }
    say_line(stderr, "cannot execute '%s': %s", command, strerror(failed));
    return STATUS_NOT_EXECUTABLE;
}

char *run_command_line(const struct options *options)
{
    struct buffer line = {0};
    for (char *const *command = options->session.command; command && *command; command++)
        buffer_printf(&line, "%s%s", line.length ? " " : "", *command);
    return line.bytes;
}

void run_warn_of_stopped(const struct attach_list *targets)
{
    for (size_t i = 0; i < targets->count; i++) {
        pid_t pid = targets->items[i];
        char *name = attach_is_stopped(pid) ? attach_name(pid) : NULL;
        if (name)
            say_line(stderr,
                     "process %d (%s) is stopped: it uses no CPU time until somebody continues it (kill -CONT %d)",
                     (int)pid, name, (int)pid);
        free(name);
    }
}

void run_ending_signals(sigset_t *set)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(set, signals[i]);
}

bool run_wait_until(const sigset_t *set, uint64_t until_ns)
{
    bool asked = false;
    for (uint64_t now_ns; !asked && (now_ns = time_now_ns()) < until_ns;) {
        uint64_t left_ns = until_ns - now_ns;
        int got = sigtimedwait(set, NULL, &(struct timespec){(time_t)(left_ns / NS_IN_S), (long)(left_ns % NS_IN_S)});
        asked = got > 0 && got != SIGCHLD;
    }
    return asked;
}
