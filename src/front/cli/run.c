/* SPDX-License-Identifier: MIT */
#include "front/cli/run.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/text/say.h"
#include "front/cli/commands.h"
#include "front/cli/other_tools.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
