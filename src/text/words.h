/* SPDX-License-Identifier: MIT
 *
 * Command lines, shortened by words. */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H

#include "base/buffer.h"

#include <stdbool.h>

/* Appends CLEAN, a command line, as a text_cutter. One that is too long loses the folder of its program first, then all
 * words but files; of a command without files the first word that is no option stays. A mark stands where words are
 * missing. */
void words_cut(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8);

#endif
