/* SPDX-License-Identifier: MIT
 *
 * Ruby 3.1. */
#ifndef INTERP_RUBY_H
#define INTERP_RUBY_H

#include "interp/runtime.h"

/* As the functions of interp/runtime.h. The lines of a function are its table of entries, and behind SPLIT bytes of it
 * the index that tells which of them an instruction has. */
bool ruby_find(const struct elf_file *file, struct interp_runtime *runtime);
void ruby_frame(const struct interp_runtime *runtime, const unsigned char *bytes, struct interp_frame *frame);
bool ruby_function(const struct interp_parts *parts, struct interp_function *function);
uint32_t ruby_line(const struct interp_lines *lines, uint64_t instruction);

#endif
