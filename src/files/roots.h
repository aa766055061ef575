/* SPDX-License-Identifier: MIT
 *
 * Finds the root directories of processes that differ from ours, for example in containers. */
#ifndef FILES_ROOTS_H
#define FILES_ROOTS_H

#include "files/process_folder.h"

#include <stdbool.h>
#include <stddef.h>

enum { ROOTS_PATH_SIZE = PROCESS_FOLDER_SIZE + sizeof "/root", ROOTS_MOST = 1024 };

struct roots_item {
    char path[ROOTS_PATH_SIZE]; /* "/proc/PID/root" of one of the processes that have it */
};

/* Zero it before the first use. */
struct roots {
    struct roots_item *items; /* owned */
    size_t count, room;
};

/* Fills ROOTS with each pair of a mount namespace and a root directory in it that some process has and we have not, as
 * far as the kernel lets us see them, ROOTS_MOST at the most. Nothing is asked of their file systems. Returns 0 or
 * -errno. */
int roots_find(struct roots *roots);
void roots_fini(struct roots *roots);

enum roots_relation { ROOTS_UNKNOWN, ROOTS_OURS, ROOTS_OTHER };

/* Tells whether the process with folder FOLDER in /proc has our root directory. ROOTS_UNKNOWN: it has gone, or the
 * kernel does not show it. */
enum roots_relation roots_compare(const char *folder);

/* True if the processes with the root directories ONE and OTHER, each "/proc/PID/root", have the same one. */
bool roots_are_same(const char *one, const char *other);

#endif
