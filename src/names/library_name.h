/* SPDX-License-Identifier: MIT
 *
 * Tells by a function's name which library it belongs to. Pure. */
#ifndef NAMES_LIBRARY_NAME_H
#define NAMES_LIBRARY_NAME_H

#include <stdbool.h>

/* True if NAME, demangled, short or full, is of what a language brings along, although the code may be in the program's
 * own file: templates of C++'s and generics of Rust's library, Go's runtime, and what begins with an underscore. */
bool library_name(const char *name);

#endif
