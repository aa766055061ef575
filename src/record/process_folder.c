/* SPDX-License-Identifier: MIT */
#include "record/process_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void process_folder(pid_t pid, char folder[static PROCESS_FOLDER_SIZE])
{
    char link[PROCESS_FOLDER_SIZE + 8], seen;
    snprintf(folder, PROCESS_FOLDER_SIZE, "/proc/%d", (int)pid);
    snprintf(link, sizeof link, "%s/root", folder);
    if (readlink(link, &seen, 1) > 0)
        return;
    snprintf(link, sizeof link, "%s/task", folder);
    DIR *directory = opendir(link);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        snprintf(link, sizeof link, "/proc/%d/root", (int)tid);
        if (tid <= 0 || readlink(link, &seen, 1) <= 0)
            continue;
        snprintf(folder, PROCESS_FOLDER_SIZE, "/proc/%d", (int)tid);
        break;
    }
    if (directory)
        closedir(directory);
}
