/* SPDX-License-Identifier: MIT
 *
 * Distinguishes files that have had the same device and inode numbers, one after the other: the kernel reuses the
 * device number of a file system that was unmounted. */
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
};

/* Returns the mark of the file at absolute PATH below ROOT. It is unknown if the path is not in the kernel's cache of
 * names, because a lookup could wait for a server. */
struct file_mark file_mark_of(const char *root, const char *path);

/* Returns true if the two marks are known to be of two files with one device and inode. */
bool file_mark_differs(const struct file_mark *one, const struct file_mark *other);

#endif
