/* SPDX-License-Identifier: MIT
 *
 * Files of file systems that a process serves (FUSE). Opening or reading such a file waits for that process, which may
 * never answer, and nothing ends the wait. So a child does it, and only data that arrives in time is used. */
#ifndef FILES_SERVED_H
#define FILES_SERVED_H

#include <stdbool.h>

struct file_identity;

/* Returns true if absolute PATH, as regular_open takes it, is on such a file system. Decides by the name, without
 * asking any file system. PATH must have no symbolic links, like the names of mapped files; see files/links.h. */
bool served_is(const char *root, const char *path);

/* Opens a file and sets *IDENTITY. Returns the descriptor or -errno. */
typedef int served_open(const char *root, const char *path, struct file_identity *identity);

/* Copies the file that OPEN_IT opens. Returns a descriptor of the copy, which the caller closes, and sets *IDENTITY to
 * the identity of the file itself. Returns -errno on failure: -ETIMEDOUT if the file does not arrive in time, -EFBIG if
 * it is too large. Also fails after a few files have not arrived, or if all files together are too large or take too
 * long. */
int served_copy(served_open *open_it, const char *root, const char *path, struct file_identity *identity);

#endif
