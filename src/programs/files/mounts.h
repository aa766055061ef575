/* SPDX-License-Identifier: MIT
 *
 * Detects mounts that are made during profiling. The user may want to unmount them again, which the kernel refuses
 * while a file there is open. */
#ifndef FILES_MOUNTS_H
#define FILES_MOUNTS_H

#include <stdbool.h>

/* Notes the present mounts of this process's mount namespace. Before it is called, no mount counts as new. */
void mounts_note(void);

/* Returns true if FD is open on a mount of this namespace that was made after mounts_note. */
bool mounts_is_new(int fd);

#endif
