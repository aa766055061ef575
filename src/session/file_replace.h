/* SPDX-License-Identifier: MIT
 *
 * Whether a new file can take the place of an old one without a difference that others would notice. */
#ifndef SESSION_FILE_REPLACE_H
#define SESSION_FILE_REPLACE_H

#include <stdbool.h>
#include <sys/stat.h>

/* True if the regular file that FD is open on, described by ABOUT, has one name only and is not a mount point. */
bool file_is_replaceable(int fd, const struct stat *about);

/* Gives the file that NEW is open on the owner and mode of ABOUT, which describes the file that OLD is open on. Returns
 * true if both succeed and the two have the same extended attributes: access control lists, labels, the user's own. */
bool file_make_like(int new, int old, const struct stat *about);

#endif
