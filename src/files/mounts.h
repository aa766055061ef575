/* SPDX-License-Identifier: MIT
 *
 * Detects mounts that are made during profiling. Somebody may want to unmount them again, which the kernel refuses
 * while a file there is open. */
#ifndef FILES_MOUNTS_H
#define FILES_MOUNTS_H

#include <stdbool.h>

/* Notes what is mounted now, in this process's mount namespace. Without it nothing is new. */
void mounts_note(void);

/* True if what FD is open on is in a mount of this namespace that was not there then. */
bool mounts_is_new(int fd);

#endif
