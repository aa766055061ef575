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
    bool on_overlay; /* may be changed while a process has what was there before: the kernel may call both the same */
};

/* Returns what identifies the file behind FD, open for reading, where it is mapped: found out by mapping it for a
 * moment. Of what cannot be mapped it is what stat says; zeros if that is nothing, either. */
struct file_identity file_identity_of(int fd);

bool file_identity_equal(const struct file_identity *one, const struct file_identity *other);

#endif
