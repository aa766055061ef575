/* SPDX-License-Identifier: MIT
 *
 * Files of file systems that a process serves (FUSE), or another machine (NFS). Opening or reading such a file waits
 * for the server, which may never answer, and nothing ends the wait. So a child opens it. What a process serves is
 * copied, because it may stop to answer at any time. */
#ifndef FILES_SERVED_H
#define FILES_SERVED_H

#include <stdbool.h>

struct file_identity;

enum served {
    SERVED_NOT,
    SERVED_BY_PROCESS, /* FUSE, or an overlay that others mounted: its layers may be on FUSE */
    SERVED_REMOTELY,   /* a network file system, unless ptprofil runs from it */
};

/* Returns how absolute PATH, as regular_open takes it, is served. Decides by the name, without asking any file system.
 * PATH must have no symbolic links, like the names of mapped files; see files/links.h. */
enum served served_how(const char *root, const char *path);

/* Returns true if it is SERVED_BY_PROCESS. */
bool served_is(const char *root, const char *path);

/* Opens a file and sets *IDENTITY. Returns the descriptor or -errno. */
typedef int served_open(const char *root, const char *path, struct file_identity *identity);

/* Copies the file that OPEN_IT opens. Returns a descriptor of the copy, which the caller closes, and sets *IDENTITY to
 * the identity of the file itself. Returns -errno on failure: -ETIMEDOUT if the file does not arrive in time, -EFBIG if
 * it is too large. Also fails after a few files of the file system have not arrived, or if all of them together are too
 * large or take too long. */
int served_copy(served_open *open_it, const char *root, const char *path, struct file_identity *identity);

/* Copies the file that FD is open on, at once. Returns a descriptor of the copy, with the same owner if we may set it,
 * or -errno: -EFBIG if it is too large. */
int served_copy_here(int fd);

/* Opens a file as OPEN_IT does, in a child. Copies it only if a process serves it. Otherwise as served_copy. */
int served_open_in_time(served_open *open_it, const char *root, const char *path, struct file_identity *identity);

#endif
