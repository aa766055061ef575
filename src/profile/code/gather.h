/* SPDX-License-Identifier: MIT
 *
 * The lists of a struct code. Each item is in its list only once. */
#ifndef CODE_GATHER_H
#define CODE_GATHER_H

#include "profile/code/code.h"

/* Sets *INDEX to the index of the file at PATH, or to CODE_NONE if memory runs out. Returns the file if it is new: the
 * caller then reads it, before the next call. Otherwise NULL. */
struct code_file *gather_file(struct code *code, const char *path, uint32_t *index);

/* Sorts the instructions or lines of CODE by address, and keeps one of each address. */
void gather_once(struct code *code);

#endif
