/* SPDX-License-Identifier: MIT
 *
 * For a process that reads a stranger's file by a library which opens further files by the names in it. */
#ifndef ELF_GUARD_H
#define ELF_GUARD_H

#include <stdbool.h>

/* From now on whatever opens a file in this process, which has one thread, gets it by elf_regular_open_here, and no other:
 * for reading only. There is no way back; SIGSYS is taken. Returns 0 or -errno: the kernel has no seccomp filters, or a
 * sandbox forbids them. */
int elf_guard_begin(void);

/* True if that was done. */
bool elf_guard_is_up(void);

#endif
