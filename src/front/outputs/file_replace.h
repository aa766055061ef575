/* SPDX-License-Identifier: MIT
 *
 * Decides whether a new file can replace an old one without a difference that others would notice. */
#ifndef OUTPUTS_FILE_REPLACE_H
#define OUTPUTS_FILE_REPLACE_H

#include <stdbool.h>
#include <sys/stat.h>

/* Returns true if the regular file FD, described by ABOUT, has only one name and is not a mount point. */
bool file_is_replaceable(int fd, const struct stat *about);

/* Gives the file NEW the owner and mode in ABOUT, which describes the file OLD. Returns true if that succeeds and both
 * files have the same extended attributes: access control lists, labels, the user's own. */
bool file_make_like(int new, int old, const struct stat *about);

#endif
