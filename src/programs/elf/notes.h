/* SPDX-License-Identifier: MIT
 *
 * The build-id among an ELF file's notes. */
#ifndef ELF_NOTES_H
#define ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the GNU build-id in the SIZE bytes of notes at NOTES. ALIGNMENT is 8, and any other value means 4. Copies
 * the build-id to ID, which has room for ROOM bytes, and sets *ID_SIZE. Returns false, with both untouched, if the
 * build-id is missing, empty or too long. */
bool elf_notes_build_id(const uint8_t *notes, size_t size, uint64_t alignment, uint8_t *id, size_t room,
                        size_t *id_size);

#endif
