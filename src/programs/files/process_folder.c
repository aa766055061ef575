/* SPDX-License-Identifier: MIT */
#include "programs/files/process_folder.h"

#include "common/base/proc.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void process_folder(pid_t pid, char folder[static PROCESS_FOLDER_SIZE])
{
    char link[PROCESS_FOLDER_SIZE + 8], seen[2];
    snprintf(folder, PROCESS_FOLDER_SIZE, "/proc/%d", (int)pid);
    snprintf(link, sizeof link, "%s/root", folder);
    if (proc_readlink(link, seen, sizeof seen) > 0)
        return;
    snprintf(link, sizeof link, "%s/task", folder);
    DIR *directory = proc_opendir(link);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        snprintf(link, sizeof link, "/proc/%d/root", (int)tid);
        if (tid <= 0 || proc_readlink(link, seen, sizeof seen) <= 0)
            continue;
        snprintf(folder, PROCESS_FOLDER_SIZE, "/proc/%d", (int)tid);
        break;
    }
    if (directory)
        closedir(directory);
}
