/* SPDX-License-Identifier: MIT */
#include "front/cli/top_terminal.h"

#include "common/base/error.h"
#include "common/text/say.h"
#include "front/cli/options.h"
#include "front/top/screen.h"

#include <errno.h>
#include <fcntl.h>

static int copy_of(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* Opens the source of keys: standard input if it is a terminal, otherwise the session's terminal. */
static int open_keys(void)
{
    return isatty(STDIN_FILENO) ? copy_of(STDIN_FILENO) : open("/dev/tty", O_RDONLY | O_CLOEXEC);
}

static bool is_another_jobs(int fd)
{
    pid_t group = tcgetpgrp(fd);
    return group > 0 && group != getpgrp();
}

int top_terminal_open(struct top_terminal *terminal, const struct options *options, struct error *error)
{
    int fd = options->session.command ? STDERR_FILENO : STDOUT_FILENO;
    *terminal = (struct top_terminal){.in = -1, .out = copy_of(fd), .saved = {-1, -1, -1}};
    if (terminal->out < 0)
        return error_system(error, errno, "cannot use standard %s", options->session.command ? "error" : "output");
    if (!isatty(fd))
        return 0;
    const char *missing = screen_missing(fd);
    if (!missing && is_another_jobs(fd))
        return error_set(error, EBUSY,
                         "another job has the terminal: bring this one to the foreground (fg), or redirect its "
                         "output to get tables");
    if (!missing)
        terminal->in = open_keys();
    if (!missing && terminal->in < 0)
        missing = "there is no terminal to read keys from";
    if (missing)
        say_line(stderr, "no full screen, as %s: a table is printed every %u s", missing, options->top.seconds);
    terminal->full = !missing;
    return 0;
}

/* Replaces FD by the file PATH, and stores the original. */
static int replace(struct top_terminal *terminal, int fd, const char *path, int flags, struct error *error)
{
    int other = open(path, flags | O_CLOEXEC, 0666);
    if (other < 0)
        return error_system(error, errno, "cannot open '%s' for the command", path);
    terminal->saved[fd] = copy_of(fd);
    int result = terminal->saved[fd] < 0 || dup2(other, fd) < 0 ? -errno : 0;
    close(other);
    return result ? error_system(error, -result, "cannot redirect the command") : 0;
}

int top_terminal_give(struct top_terminal *terminal, const struct options *options, struct error *error)
{
    const char *file = options->top.command_output;
    int result = 0;
    if (!options->session.command)
        return 0;
    if (terminal->full && isatty(STDIN_FILENO))
        result = replace(terminal, STDIN_FILENO, "/dev/null", O_RDONLY, error);
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO && !result; fd++) {
        if (file)
            result =
                replace(terminal, fd, file, O_WRONLY | O_CREAT | O_APPEND | (fd == STDOUT_FILENO ? O_TRUNC : 0), error);
        else if (terminal->full && isatty(fd)) {
            result = replace(terminal, fd, "/dev/null", O_WRONLY, error);
            terminal->hides = true;
        }
    }
    return result;
}

void top_terminal_take(struct top_terminal *terminal)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (terminal->saved[fd] < 0)
            continue;
        dup2(terminal->saved[fd], fd);
        close(terminal->saved[fd]);
        terminal->saved[fd] = -1;
    }
}

void top_terminal_close(struct top_terminal *terminal)
{
    top_terminal_take(terminal);
    if (terminal->in >= 0)
        close(terminal->in);
    if (terminal->out >= 0)
        close(terminal->out);
}
