/* SPDX-License-Identifier: MIT
 *
 * Texts in an ELF file. */
#ifndef ELF_CONTENTS_H
#define ELF_CONTENTS_H

#include "elf/file.h"

/* Looks for TEXT in section NAME of FILE, and writes SIZE - 1 bytes from there on to FOUND, with a 0 behind them. False
 * if it is not there, or not so much is behind it. */
bool elf_contents_find(const struct elf_file *file, const char *name, const char *text, char *found, size_t size);

#endif
