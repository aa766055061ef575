/* SPDX-License-Identifier: MIT
 *
 * Resolves symbolic links without asking a file system that is served (files/served.h). */
#ifndef FILES_LINKS_H
#define FILES_LINKS_H

#include <limits.h>

/* Sets PLACE to absolute PATH with all links resolved, as a process with root directory ROOT (NULL or "": ours) sees
 * it. Returns 0, -EREMOTE if the path enters a file system that is served, -ENOSYS if this kernel or a
 * sandbox does not allow the lookup, or another -errno if the file does not exist. */
int links_resolve(const char *root, const char *path, char place[static PATH_MAX]);

#endif
