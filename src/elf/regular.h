/* SPDX-License-Identifier: MIT
 *
 * Opening files that another process may have put there. */
#ifndef ELF_REGULAR_H
#define ELF_REGULAR_H

#include <stdint.h>

/* Opens the regular file at absolute PATH for reading, close-on-exec. With a ROOT that is not NULL or "",
 * PATH and the symbolic links on it are taken as a process with that root directory takes them. What is not a
 * regular file is not even opened, so that a FIFO does not block and a device does not notice. Of a file that a process
 * serves (elf/served.h) it is a copy. Returns the descriptor, the caller's to close, with *INODE the file's inode if INODE
 * is not NULL; or -errno: -EINVAL for what is not a regular file, -ETIMEDOUT for what is not served in time. */
int elf_regular_open(const char *root, const char *path, uint64_t *inode);

/* The same where PATH does not tell whether a process serves the file: a copy in any case, as of one that does. */
int elf_regular_copy(const char *root, const char *path, uint64_t *inode);

#endif
