/* SPDX-License-Identifier: MIT
 *
 * PHP 8.2 without thread safety (NTS): a process has one interpreter. */
#ifndef INTERP_PHP_H
#define INTERP_PHP_H

#include "programs/interp/runtime.h"

/* As the functions of interp/runtime.h. */
bool php_find(const struct elf_file *file, struct interp_runtime *runtime);
void php_frame(const struct interp_runtime *runtime, const struct recipe_node *node, const unsigned char *bytes,
               struct interp_frame *frame);
bool php_function(const struct interp_parts *parts, struct interp_function *function);

#endif
