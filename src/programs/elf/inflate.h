/* SPDX-License-Identifier: MIT
 *
 * Unpacks a section that was compressed by zlib. Only the process that has no rights may call this. */
#ifndef ELF_INFLATE_H
#define ELF_INFLATE_H

#include <stddef.h>
#include <stdint.h>

/* Returns the unpacked .debug_frame of the ELF file that FD is open on, which the caller frees, and sets *SIZE to its
 * size. Returns NULL if the section does not exist, is not compressed, is damaged, or has more than MOST bytes, packed
 * or not; or if memory runs out. This is an elf_unwind_unpack. */
uint8_t *elf_inflate_debug_frame(int fd, uint64_t most, size_t *size);

#endif
