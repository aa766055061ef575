/* SPDX-License-Identifier: MIT
 *
 * Detects mounts that a program or its user may unmount during profiling, which the kernel refuses while a file there
 * is open. */
#ifndef FILES_MOUNTS_H
#define FILES_MOUNTS_H

#include <stdbool.h>

/* Notes the present mounts of this process's mount namespace. Before it is called, no mount counts as new. */
void mounts_note(void);

/* Returns true if FD is open on a mount of this namespace that was made after mounts_note. */
bool mounts_is_new(int fd);

/* Returns true if the mount that FD is open on may be unmounted while we run. ROOT is the root directory of the process
 * whose file it is, in /proc. The mounts of our root directory, /usr and our own program stay, and so do the mount of
 * ROOT, and those that were there at mounts_note if we are not root: then our programs cannot unmount them. False
 * before mounts_note, and if the kernel does not tell. */
bool mounts_may_end(int fd, const char *root);

#endif
