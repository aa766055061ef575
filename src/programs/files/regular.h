/* SPDX-License-Identifier: MIT
 *
 * Opens files that another process may have put there. */
#ifndef FILES_REGULAR_H
#define FILES_REGULAR_H

struct file_identity;
struct viewer;

/* Opens the regular file at absolute PATH for reading, close-on-exec. With a ROOT (not NULL or ""), resolves PATH
 * and its symbolic links as a process with that root directory does. Opens only regular files with stored bytes. So
 * a FIFO cannot block, a device is not touched, and files in /proc, /sys and the like are not used up or triggered.
 * If the file is served (files/served.h), opens it or a copy in time. Returns the descriptor, which the caller closes,
 * and sets *IDENTITY to the file's own, unless IDENTITY is NULL. Returns -errno on failure: -EINVAL if it is not such a
 * file, -ETIMEDOUT if it is not served in time. */
int regular_open(const char *root, const char *path, struct file_identity *identity);

/* Like regular_open, with the rights of VIEWER (NULL: ours). Returns -EACCES if that user may not read the file. */
int regular_open_for(const struct viewer *viewer, const char *root, const char *path, struct file_identity *identity);

/* Like regular_open, for any PATH and without a root. Waits as long as the file system takes. */
int regular_open_here(const char *path);

/* Like regular_open, for a link in /proc that can make its reader wait (map_files). */
int regular_open_in_time(const char *path, struct file_identity *identity);

/* Like regular_open, for a PATH that does not show whether a process serves the file. Always opens a copy. */
int regular_copy(const char *root, const char *path, struct file_identity *identity);

#endif
