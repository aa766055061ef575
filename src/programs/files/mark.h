/* SPDX-License-Identifier: MIT
 *
 * Distinguishes files that have had the same device and inode numbers, one after the other: the kernel reuses the
 * device number of a file system that was unmounted. And a file can be overwritten in its place. */
#ifndef FILES_MARK_H
#define FILES_MARK_H

#include <stdbool.h>
#include <stdint.h>

/* What a file was when it was seen. */
struct file_mark {
    uint64_t device, inode; /* as statx reports them; inode 0: unknown */
    uint64_t size;
    int64_t born_ns;    /* 0: the file system does not say */
    int64_t changed_ns; /* its inode */
    int64_t written_ns; /* its content */
    uint64_t head;      /* of an open file: hash of its beginning, if that has a build ID; otherwise 0 */
};

/* Returns the mark of the file at absolute PATH below ROOT. It is unknown if the path is not in the kernel's cache of
 * names, because a lookup could wait for a server. */
struct file_mark file_mark_of(const char *root, const char *path);

/* Returns the mark of the file behind FD, open for reading. */
struct file_mark file_mark_of_open(int fd);

/* Returns true if the file behind FD has another content now than when file_mark_of_open returned MARK. */
bool file_mark_is_rewritten(const struct file_mark *mark, int fd);

/* Returns true if the two marks are known to be of two files with one device and inode. */
bool file_mark_differs(const struct file_mark *one, const struct file_mark *other);

#endif
