/* SPDX-License-Identifier: MIT
 *
 * Texts in an ELF file. */
#ifndef ELF_CONTENTS_H
#define ELF_CONTENTS_H

#include "elf/file.h"

/* Finds TEXT in section NAME of FILE. Copies SIZE - 1 bytes from there to FOUND, and appends a 0. Returns false if
 * TEXT is missing, or if too few bytes follow. */
bool elf_contents_find(const struct elf_file *file, const char *name, const char *text, char *found, size_t size);

#endif
