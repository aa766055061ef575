/* SPDX-License-Identifier: MIT
 *
 * ELF images that are parts of another file, as libraries in an archive that are mapped from there. */
#ifndef RECORD_EMBEDDED_H
#define RECORD_EMBEDDED_H

#include <stdbool.h>
#include <stdint.h>

/* True if what the file behind FD has at OFFSET is in an executable segment of the ELF file that it is itself. */
bool embedded_is_own(int fd, uint64_t offset);

/* Finds where in the file behind FD an ELF image begins that has OFFSET in an executable segment: sets *BASE to that, a
 * multiple of the page size and not 0. Returns the image as a file of its own, to be closed, or -1 if there is none. */
int embedded_open(int fd, uint64_t offset, uint64_t *base);

#endif
