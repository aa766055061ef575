/* SPDX-License-Identifier: MIT
 *
 * The user by whose rights a file is opened that a stranger names: a program's debug information may name any file, and
 * what root can read is not what the program's user may see. */
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

/* From now on this process opens files by the rights of VIEWER's user and group alone. False, and nothing has changed,
 * if it is no other user or that cannot be done, as we are not root. True: viewer_end is to follow. */
bool viewer_begin(const struct viewer *viewer);
void viewer_end(void);

/* True if the file that FD is open on is one that VIEWER may read by its own mode: for where viewer_begin fails. */
bool viewer_may_read(const struct viewer *viewer, int fd);

/* If VIEWER is nobody else yet: the owner of the file ABOUT, if that is another one. */
void viewer_take_owner(struct viewer *viewer, const struct stat *about);

#endif
