/* SPDX-License-Identifier: MIT */
#include "front/session/inherited.h"

#include "common/base/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void inherited_list(struct inherited *inherited)
{
    DIR *directory = proc_opendir("/proc/self/fd");
    const struct dirent *entry;
    inherited->count = 0;
    while (directory && (entry = readdir(directory)) && inherited->count < INHERITED_MOST) {
        int fd = atoi(entry->d_name);
        if (fd > STDERR_FILENO && fd != dirfd(directory) && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
            inherited->items[inherited->count++] = fd;
    }
    if (directory)
        closedir(directory);
}

void inherited_drop(const struct inherited *inherited)
{
    for (size_t i = 0; i < inherited->count; i++)
        close(inherited->items[i]);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        return;
    dup3(null, STDIN_FILENO, O_CLOEXEC);
    dup3(null, STDOUT_FILENO, O_CLOEXEC);
    if (null > STDERR_FILENO)
        close(null);
}
