/* SPDX-License-Identifier: MIT
 *
 * Command lines, shortened by words. */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H

#include "base/buffer.h"

#include <stdbool.h>

/* As text_cut, for CLEAN, a command line. One that is too long loses the folder of its program first, and then, word by
 * word, what tells least of what it did: words that it has twice, options, plain words and files of the system, other
 * files, of each kind the last ones first; a first word that is no option stays as long as a file. A mark stands where
 * words are missing. */
void words_cut(struct buffer *out, const char *clean, unsigned columns, unsigned pad, bool utf8);

#endif
