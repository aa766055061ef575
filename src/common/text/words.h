/* SPDX-License-Identifier: MIT
 *
 * Command lines, shortened by words. */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H

#include <stdbool.h>

struct buffer;

/* A text_cutter for command lines. A line that is too long first loses the folder of its program, then all words
 * except files; a command without files keeps its first word that is not an option. A mark shows where words are
 * missing. */
void words_cut(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8);

#endif
