/* SPDX-License-Identifier: MIT
 *
 * Perl 5.36, built with threads, as Debian's is. */
#ifndef INTERP_PERL_H
#define INTERP_PERL_H

#include "programs/interp/runtime.h"

/* As the functions of interp/runtime.h. */
bool perl_find(const struct elf_file *file, struct interp_runtime *runtime);
void perl_frame(const struct interp_runtime *runtime, const struct recipe_node *node, const unsigned char *bytes,
                struct interp_frame *frame);
bool perl_function(const struct interp_parts *parts, struct interp_function *function);

#endif
