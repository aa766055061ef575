/* SPDX-License-Identifier: MIT
 *
 * The map of its code that a just-in-time compiler writes, by perf's convention, in the /tmp that its process sees,
 * under the number that the process has for itself. It may be written at any time, also just before the process ends:
 * so the folder is held open, since the way to it goes with the process. Both are a stranger's. */
#ifndef JIT_FILE_H
#define JIT_FILE_H

#include "base/viewer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct jit_folder {
    int fd;
    dev_t device;
    ino_t inode;
};

/* The folders: most processes see the same one. */
struct jit_folders {
    struct jit_folder *items;
    size_t count, room;
};

/* A zeroed set is empty. Closes and frees everything. */
void jit_folders_fini(struct jit_folders *folders);

/* Where the map of a process is. */
struct jit_file {
    int folder;           /* descriptor, of the set; -1: not known, or not to be had */
    pid_t inside;         /* the number that the process has for itself */
    uid_t owner;          /* of the process */
    struct viewer viewer; /* the process's user, by whose rights the map is opened */
    int64_t began_s;      /* real time at which it began: an older map is another process's */
};

/* Sets *FILE for process PID. If the process has ended, earlier findings stay. */
void jit_file_find(struct jit_folders *folders, pid_t pid, struct jit_file *file);

/* Opens the map, if it is a regular file that its process's user, or ours, has written since the process began, and
 * that the process's user may read: a link may have been made to any other. Returns the descriptor, the caller's to
 * close, or -errno. */
int jit_file_open(const struct jit_file *file);

#endif
