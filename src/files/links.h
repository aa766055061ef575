/* SPDX-License-Identifier: MIT
 *
 * Where symbolic links lead, found out without asking a file system that a process serves (files/served.h). */
#ifndef FILES_LINKS_H
#define FILES_LINKS_H

#include <limits.h>

/* Sets PLACE to the path without links that absolute PATH is, as a process with root directory ROOT (NULL or "": ours)
 * takes it. Returns 0, -EREMOTE if the way leads into a file system that a process serves, -ENOSYS if this kernel, or a
 * sandbox, does not let us look, or another -errno: there is no such file. */
int links_resolve(const char *root, const char *path, char place[static PATH_MAX]);

#endif
