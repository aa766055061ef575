/* SPDX-License-Identifier: MIT
 *
 * Finds the root directories of processes that differ from ours, for example in containers. */
#ifndef FILES_ROOTS_H
#define FILES_ROOTS_H

#include "programs/files/process_folder.h"

#include <stdbool.h>
#include <stddef.h>

enum { ROOTS_PATH_SIZE = PROCESS_FOLDER_SIZE + sizeof "/root", ROOTS_MOST = 1024 };

struct roots_item {
    char path[ROOTS_PATH_SIZE]; /* "/proc/PID/root" of a process that has it */
};

/* Zero it before the first use. */
struct roots {
    struct roots_item *items; /* owned */
    size_t count, room;
};

/* Fills ROOTS with the root directories of other processes that differ from ours: one for each pair of mount namespace
 * and directory that the kernel shows us, at most ROOTS_MOST. Asks nothing of their file systems. Returns 0 or
 * -errno. */
int roots_find(struct roots *roots);
void roots_fini(struct roots *roots);

enum roots_relation { ROOTS_UNKNOWN, ROOTS_OURS, ROOTS_OTHER };

/* Compares the root directory of the process with folder FOLDER in /proc with ours. ROOTS_UNKNOWN: the process has
 * gone, or the kernel does not show its root. */
enum roots_relation roots_compare(const char *folder);

/* Returns true if ONE and OTHER, each "/proc/PID/root", are the same root directory. */
bool roots_are_same(const char *one, const char *other);

#endif
