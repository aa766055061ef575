/* SPDX-License-Identifier: MIT
 *
 * Checks that an opened file is the mapped file: a wrong file would give wrong names to the code. */
#ifndef FILES_MAPPED_H
#define FILES_MAPPED_H

#include <stdbool.h>

struct address_range;
struct file_identity;

/* True if RANGE maps the file with IDENTITY, in the process with folder FOLDER in /proc. FD is open on that file, or
 * on a copy of it. */
bool mapped_is(int fd, const struct file_identity *identity, const char *folder, const struct address_range *range);

/* True if the memory of RANGE is a copy of the file behind FD, at RANGE's offset, in the process with folder FOLDER
 * in /proc. False also if that memory cannot be read. */
bool mapped_is_copy(int fd, const char *folder, const struct address_range *range);

#endif
