/* SPDX-License-Identifier: MIT
 *
 * By what the kernel tells the files that are mapped from each other, in /proc/PID/maps. stat may say something else of the
 * same file: an overlay has files of its own for those of its layers, and some kernels map the layers'; each subvolume has a
 * device of its own for stat, and all have one where they are mapped. */
#ifndef ELF_IDENTITY_H
#define ELF_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

struct elf_identity {
    uint32_t device_major, device_minor;
    uint64_t inode;
    bool on_overlay; /* may be changed while a process has what was there before: the kernel may call both the same */
};

/* Returns what identifies the file behind FD, open for reading, where it is mapped: found out by mapping it for a moment. Of
 * what cannot be mapped it is what stat says; zeros if that is nothing, either. */
struct elf_identity elf_identity_of(int fd);

bool elf_identity_equal(const struct elf_identity *one, const struct elf_identity *other);

#endif
