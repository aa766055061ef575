/* SPDX-License-Identifier: MIT
 *
 * Whether a file that was found is the one that is mapped: a wrong one would give its names to foreign code. */
#ifndef FILES_MAPPED_H
#define FILES_MAPPED_H

#include "files/identity.h"
#include "model/address_map.h"

#include <stdbool.h>

/* True if the file behind FD, or that it is a copy of, which is IDENTITY, is what RANGE maps in the process whose
 * folder in /proc is FOLDER. */
bool mapped_is(int fd, const struct file_identity *identity, const char *folder, const struct address_range *range);

/* True if the memory of RANGE, in the process whose folder in /proc is FOLDER, has what the file behind FD has at
 * RANGE's offset: a copy of it. False, too, if the process does not show it. */
bool mapped_is_copy(int fd, const char *folder, const struct address_range *range);

#endif
