/* SPDX-License-Identifier: MIT
 *
 * ELF images that are parts of another file, as libraries in an archive that are mapped from there. */
#ifndef ELF_EMBEDDED_H
#define ELF_EMBEDDED_H

#include <stdbool.h>
#include <stdint.h>

/* True if what the file behind FD has at OFFSET is in an executable segment of the ELF file that it is itself. */
bool elf_embedded_is_own(int fd, uint64_t offset);

/* Finds where in the file behind FD an ELF image begins that has OFFSET in an executable segment: sets *BASE to that, a
 * multiple of the page size and not 0. Returns the image as a file of its own, to be closed, or -1 if there is none. */
int elf_embedded_open(int fd, uint64_t offset, uint64_t *base);

/* Finds the first ELF image that begins in the file behind FD at *BASE or later, at a multiple of the page size, and
 * sets *BASE to where. Returns it as elf_embedded_open. */
int elf_embedded_next(int fd, uint64_t *base);

#endif
