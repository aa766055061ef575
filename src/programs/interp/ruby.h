/* SPDX-License-Identifier: MIT
 *
 * Ruby 3.1. */
#ifndef INTERP_RUBY_H
#define INTERP_RUBY_H

#include "programs/interp/runtime.h"

/* As the functions of interp/runtime.h. A function's lines are its table of entries; SPLIT bytes into it begins the
 * index from instructions to entries. */
bool ruby_find(const struct elf_file *file, struct interp_runtime *runtime);
void ruby_frame(const struct interp_runtime *runtime, const unsigned char *bytes, struct interp_frame *frame);
bool ruby_function(const struct interp_parts *parts, struct interp_function *function);
uint32_t ruby_line(const struct interp_lines *lines, uint64_t instruction);

#endif
