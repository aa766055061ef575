/* SPDX-License-Identifier: MIT
 *
 * Finds ELF images inside another file, for example libraries that are mapped from an archive. */
#ifndef ELF_EMBEDDED_H
#define ELF_EMBEDDED_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if OFFSET is in an executable segment of the file itself (FD). */
bool elf_embedded_is_own(int fd, uint64_t offset);

/* Finds the ELF image inside the file FD that has OFFSET in an executable segment. Sets *BASE to the image's beginning,
 * a multiple of the page size and not 0. Returns a descriptor of the image as a file of its own, which the caller
 * closes, or -1 if there is none. */
int elf_embedded_open(int fd, uint64_t offset, uint64_t *base);

/* Finds the first ELF image inside the file FD that begins at *BASE or later, at a multiple of the page size. Sets
 * *BASE to its beginning. Returns as elf_embedded_open. */
int elf_embedded_next(int fd, uint64_t *base);

#endif
