/* SPDX-License-Identifier: MIT
 *
 * Opening files that another process may have put there. */
#ifndef FILES_REGULAR_H
#define FILES_REGULAR_H

#include "base/viewer.h"
#include "files/identity.h"

#include <fcntl.h>

/* What a file is opened with that was looked at before; see files/guard.c. It means nothing for such a file. */
#define REGULAR_FLAGS O_NOCTTY

/* Opens the regular file at absolute PATH for reading, close-on-exec. With a ROOT that is not NULL or "",
 * PATH and the symbolic links on it are taken as a process with that root directory takes them. What is not a
 * regular file with bytes that somebody stored is not even opened, so that a FIFO does not block, and that neither a
 * device nor the kernel notices, whose files in /proc, /sys and the like are used up, or do something, when they are
 * opened or read. Of a file that a process serves (files/served.h) it is a copy. Returns the descriptor, the caller's
 * to close, with *IDENTITY the file's own if IDENTITY is not NULL; or -errno: -EINVAL for what is not opened,
 * -ETIMEDOUT for what is not served in time. */
int regular_open(const char *root, const char *path, struct file_identity *identity);

/* The same by the rights of VIEWER (NULL: ours): -EACCES for what that user may not read. */
int regular_open_for(const struct viewer *viewer, const char *root, const char *path, struct file_identity *identity);

/* The same without a root and for any PATH, waiting as long as the file system does. Allocates nothing: it may be
 * called in a handler of signals. */
int regular_open_here(const char *path);

/* regular_open where PATH does not tell whether a process serves the file: a copy in any case, as of one that does. */
int regular_copy(const char *root, const char *path, struct file_identity *identity);

#endif
