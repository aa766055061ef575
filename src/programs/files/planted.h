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

#endif
