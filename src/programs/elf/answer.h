/* SPDX-License-Identifier: MIT
 *
 * The answers, as bytes, of the process that reads DWARF (see elf/lines.h). Pure. */
#ifndef ELF_ANSWER_H
#define ELF_ANSWER_H

#include "programs/elf/lines.h"

struct buffer;

/* Longer texts are left out. */
enum {
    ELF_ANSWER_NAME = 128 << 10,
    ELF_ANSWER_PATH = 4 << 10,
    ELF_ANSWER_MAX = ELF_LINES_MAX * (ELF_ANSWER_NAME + ELF_ANSWER_PATH + 12), /* bytes of an answer */
};

/* Appends the COUNT frames of CHAIN to ANSWER: for each, the line in 4 bytes, the start in 8, and two texts that each
 * end with a 0. Returns false, with ANSWER's failed set, if memory runs out. */
bool elf_answer_write(struct buffer *answer, const struct elf_line *chain, size_t count);

/* Parses the SIZE bytes at BYTES. Do not trust them: the file may have taken over the process that wrote them. Sets
 * CHAIN; its texts point into BYTES. Returns the number of frames before the first broken one. The last frame has no
 * name. */
size_t elf_answer_read(const void *bytes, size_t size, struct elf_line chain[ELF_LINES_MAX]);

#endif
