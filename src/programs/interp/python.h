/* SPDX-License-Identifier: MIT
 *
 * CPython, from 3.8. */
#ifndef INTERP_PYTHON_H
#define INTERP_PYTHON_H

#include "programs/interp/runtime.h"

/* As the functions of interp/runtime.h. */
bool python_find(const struct elf_file *file, const char *path, struct interp_runtime *runtime);
void python_frame(const struct interp_runtime *runtime, const unsigned char *bytes, struct interp_frame *frame);
bool python_function(const struct interp_runtime *runtime, const struct interp_parts *parts,
                     struct interp_function *function);
uint32_t python_line(const struct interp_runtime *runtime, const struct interp_lines *lines, uint64_t instruction);

#endif
