/* SPDX-License-Identifier: MIT
 *
 * Unpacks unwind tables in a process without rights. */
#ifndef NAMING_NAME_UNPACK_H
#define NAMING_NAME_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/* Returns the unpacked .debug_frame of the ELF file FD, at most MOST bytes, which the caller frees, and sets *SIZE to
 * its size; or NULL. The bytes are a stranger's. Waits for some seconds at most, because samples wait for it. This is
 * an elf_unwind_unpack. */
uint8_t *name_unpack(int fd, uint64_t most, size_t *size);

#endif
