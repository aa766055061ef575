/* SPDX-License-Identifier: MIT
 *
 * The build-id among an ELF file's notes. */
#ifndef ELF_NOTES_H
#define ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Looks for the GNU build-id in the SIZE bytes of notes at NOTES, aligned to ALIGNMENT: 8; anything else is treated
 * as 4. Copies it to ID, which has room for ROOM bytes, and sets *ID_SIZE. False, with both untouched, if none
 * exists, an empty one, or one that does not fit. */
bool elf_notes_build_id(const uint8_t *notes, size_t size, uint64_t alignment, uint8_t *id, size_t room,
                        size_t *id_size);

#endif
