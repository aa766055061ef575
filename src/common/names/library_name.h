/* SPDX-License-Identifier: MIT
 *
 * Recognizes functions of a language's standard library by their names. Pure. */
#ifndef NAMES_LIBRARY_NAME_H
#define NAMES_LIBRARY_NAME_H

#include <stdbool.h>

/* Returns true if NAME, demangled, short or full, belongs to a language's own library, even if the code is in the
 * program's file: templates of C++'s library, generics of Rust's, Go's runtime, and names that begin with an
 * underscore. */
bool library_name(const char *name);

#endif
