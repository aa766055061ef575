/* SPDX-License-Identifier: MIT
 *
 * Files of file systems that a process serves (FUSE). Whoever opens or reads one waits for that process, which may
 * never answer, and nothing ends that wait: so a child does it, and what it has read in time is used. */
#ifndef FILES_SERVED_H
#define FILES_SERVED_H

#include "files/identity.h"

#include <stdbool.h>

/* True if absolute PATH, as regular_open takes it, is on such a file system: by its name alone, nothing is asked of any
 * file system. PATH has no symbolic links in it, as names of mapped files have none; see files/links.h. */
bool served_is(const char *root, const char *path);

/* Opens a file and sets *IDENTITY. Returns the descriptor or -errno. */
typedef int served_open(const char *root, const char *path, struct file_identity *identity);

/* Returns a descriptor of a copy of the file that OPEN_IT opens; the caller closes it. Sets *IDENTITY to the
 * identity of the file itself. Returns -errno on failure: -ETIMEDOUT if the file does not arrive in time, -EFBIG if
 * it is too large. After a few files have not arrived, or if all files together take too long or are too large,
 * fails likewise. */
int served_copy(served_open *open_it, const char *root, const char *path, struct file_identity *identity);

#endif
