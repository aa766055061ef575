/* SPDX-License-Identifier: MIT
 *
 * Opens files that strangers name by the rights of the program's user. A program's debug information can name any
 * file, and root can read files that the program's user must not see. */
#ifndef BASE_VIEWER_H
#define BASE_VIEWER_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* All 0: whatever we may read. */
struct viewer {
    uid_t user;
    gid_t group;
};

/* True if VIEWER, which may be NULL, is another user than this process. */
bool viewer_is_other(const struct viewer *viewer);

/* Makes this process open files by the rights of VIEWER's user and group until viewer_end. Returns true if it did.
 * Returns false, with nothing changed, if VIEWER is this process's own user, or if this process is not root and
 * cannot change. */
bool viewer_begin(const struct viewer *viewer);
void viewer_end(void);

/* True if the mode of the file that FD is open on lets VIEWER read it: for when viewer_begin fails. */
bool viewer_may_read(const struct viewer *viewer, int fd);

/* If VIEWER is nobody else yet: the owner of the file ABOUT, if that is another one. */
void viewer_take_owner(struct viewer *viewer, const struct stat *about);

#endif
