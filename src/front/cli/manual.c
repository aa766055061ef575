/* SPDX-License-Identifier: MIT */
#include "front/cli/manual.h"

#include "common/base/error.h"
#include "common/text/nearest.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const struct manual_page manual_pages[] = {
    {"record", "ptprofil", "1"},
    {"report", "ptprofil-report", "1"},
    {"top", "ptprofil-top", "1"},
    {"dump", "ptprofil-dump", "1"},
    {"profile", "ptprofil-profile", "7"},
    {"formats", "ptprofil-formats", "5"},
    {"json", "ptprofil-json", "5"},
    {"continuous", "ptprofil-continuous", "7"},
    {"limits", "ptprofil-limits", "7"},
    {"runtimes", "ptprofil-runtimes", "7"},
    {"calls", "ptprofil-calls", "7"},
    {"semantics", "ptprofil-semantics", "7"},
    {"conformance", "ptprofil-conformance", "1"},
    {"mpi", "ptprofil-mpi", "1"},
    {"pcsample", "pcsample", "3"},
    {NULL, NULL, NULL},
};

const struct manual_page *manual_find(const char *topic)
{
    for (const struct manual_page *page = manual_pages; page->topic; page++)
        if (!strcmp(topic, page->topic))
            return page;
    return NULL;
}

const char *manual_nearest(const char *word)
{
    const char *topics[sizeof manual_pages / sizeof *manual_pages];
    size_t count = 0;
    for (const struct manual_page *page = manual_pages; page->topic; page++)
        topics[count++] = page->topic;
    return nearest_name(word, topics, count);
}

/* Runs man with ARGUMENTS, without output. Returns its exit status, or -errno. */
static int run_silently(char *const arguments[])
{
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status, result = posix_spawn_file_actions_init(&files);
    if (result)
        return -result;
    result = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!result)
        result = posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    if (!result)
        result = posix_spawnp(&pid, arguments[0], &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    if (result)
        return -result;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return -errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -EIO;
}

int manual_show(const struct manual_page *page, struct error *error)
{
    char *const where[] = {(char *)"man", (char *)"-w", (char *)page->section, (char *)page->name, NULL};
    char *const show[] = {(char *)"man", (char *)page->section, (char *)page->name, NULL};
    int result = run_silently(where);
    if (!result) {
        execvp(show[0], show);
        result = -errno;
    }
    if (result < 0)
        return error_set(error, -result, "help: cannot run man, which shows %s(%s): %s; its package is man-db",
                         page->name, page->section, strerror(-result));
    return error_set(error, ENOENT,
                     "help: the manual page %s(%s) is not installed; a package or 'make install' installs it, and in "
                     "the source 'man -l man/%s.%s' shows it",
                     page->name, page->section, page->name, page->section);
}
