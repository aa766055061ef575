/* SPDX-License-Identifier: MIT
 *
 * Opens files named by strangers with the rights of the program's user. A program's debug information can name any
 * file, and root can read files that this user must not see. */
#ifndef BASE_VIEWER_H
#define BASE_VIEWER_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* All 0: our own rights. */
struct viewer {
    uid_t user;
    gid_t group;
};

/* Returns true if VIEWER, which may be NULL, is another user than this process's. */
bool viewer_is_other(const struct viewer *viewer);

/* Makes this process open files with the rights of VIEWER's user and group, until viewer_end. Returns true if it did.
 * Returns false, with nothing changed, if VIEWER is this process's own user, or if this process is not root and cannot
 * change. */
bool viewer_begin(const struct viewer *viewer);
void viewer_end(void);

/* Returns true if the mode of the open file FD lets VIEWER read it. For use when viewer_begin fails. */
bool viewer_may_read(const struct viewer *viewer, int fd);

/* Sets VIEWER to the owner of the file ABOUT, if VIEWER is our own user and the owner is another one. */
void viewer_take_owner(struct viewer *viewer, const struct stat *about);

#endif
