/* SPDX-License-Identifier: MIT
 *
 * Detects files that another user may have put where we write. */
#ifndef FILES_PLANTED_H
#define FILES_PLANTED_H

#include <stdbool.h>

/* Returns true if FD (possibly an O_PATH descriptor) is another user's regular file or FIFO in a folder like /tmp: it
 * may have been put there so that we write to it. The kernel refuses to open it with O_CREAT, unless
 * fs.protected_regular and fs.protected_fifos are 0. */
bool planted_is(int fd);

/* Returns true if PATH is a stranger's symbolic link in a folder like /tmp. A stranger is neither we, nor root, nor the
 * owner of that folder. The kernel follows no such link, unless fs.protected_symlinks is 0. */
bool planted_is_link(const char *path);

/* Returns true if a stranger made the existing folder PATH, a folder above it, or a symbolic link on the way to it, in
 * a folder like /tmp. The stranger may have put links there so that we write to their targets. */
bool planted_is_folder(const char *path);

#endif
