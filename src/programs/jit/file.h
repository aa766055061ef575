/* SPDX-License-Identifier: MIT
 *
 * The code map that a just-in-time compiler writes, by perf's convention: in the process's own /tmp, with the process's
 * own number in the name. It may be written at any time, even just before the process ends. So the folder is held open,
 * because its path disappears with the process. Folder and file are a stranger's. */
#ifndef JIT_FILE_H
#define JIT_FILE_H

#include "common/base/viewer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct jit_folder {
    int fd;
    dev_t device;
    ino_t inode;
    uid_t user; /* whose process brought it */
};

/* The folders. Most processes share one. */
struct jit_folders {
    struct jit_folder *items;
    size_t count, room;
};

/* A zeroed set is empty. Closes and frees everything. */
void jit_folders_fini(struct jit_folders *folders);

/* Location of a process's map. */
struct jit_file {
    int folder;           /* descriptor in the set; -1: unknown, or not available */
    pid_t inside;         /* the process's number in its own namespace */
    uid_t owner;          /* of the process */
    struct viewer viewer; /* the process's user; the map is opened with that user's rights */
    int64_t began_s;      /* real time at which the process began; an older map belongs to another process */
};

/* Sets *FILE for process PID. If the process has ended, *FILE keeps what was found earlier. */
void jit_file_find(struct jit_folders *folders, pid_t pid, struct jit_file *file);

/* Opens the map, if it is a regular file that was written since the process began by its user, or by ours, and that its
 * user may read. (A link may lead to any other file.) Returns the descriptor, which the caller closes, or -errno. */
int jit_file_open(const struct jit_file *file);

#endif
