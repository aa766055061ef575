/* SPDX-License-Identifier: MIT
 *
 * Identifies mapped files as the kernel does in /proc/PID/maps. stat may report another identity for the same file.
 * An overlay has its own files for the files of its layers, and some kernels map the files of the layers. With
 * subvolumes, stat reports a device for each, but mappings have one device for all. */
#ifndef FILES_IDENTITY_H
#define FILES_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

struct file_identity {
    uint32_t device_major, device_minor;
    uint64_t inode;
    bool on_overlay; /* may change while a process still has the old content mapped: the kernel may identify both
                      * alike */
};

/* Returns the identity that the file behind FD, open for reading, has in maps. Finds it by mapping the file for a
 * moment. If it cannot be mapped, uses stat; if that fails too, all members are 0. */
struct file_identity file_identity_of(int fd);

bool file_identity_equal(const struct file_identity *one, const struct file_identity *other);

#endif
