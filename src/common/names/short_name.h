/* SPDX-License-Identifier: MIT
 *
 * Shortens names of C++, Rust and Java functions by leaving out template arguments and parameter lists:
 * "std::__cxx11::basic_string<char, ...>::compare(char const*) const" becomes "std::basic_string<...>::compare", and
 * "int java.util.TimSort.sort(int[], int)" becomes "java.util.TimSort.sort". Pure. */
#ifndef NAMES_SHORT_NAME_H
#define NAMES_SHORT_NAME_H

#include <stdbool.h>

struct buffer;

/* How much of a name is left out. Each level distinguishes functions to which the previous level gives the same
 * name. */
enum short_name_level {
    SHORT_NAME_BARE,       /* template arguments and parameters */
    SHORT_NAME_ARGUMENTS,  /* parameters, and template arguments inside template arguments */
    SHORT_NAME_PARAMETERS, /* arguments of templates */
    SHORT_NAME_BOTH,       /* template arguments inside template arguments */
    SHORT_NAME_WHOLE       /* only the marks of a part made by a compiler (.cold, .isra.0) */
};

/* Appends NAME, a demangled, untrusted name, to OUT in its short form. If the brackets of NAME do not match, leaves out
 * only what SHORT_NAME_WHOLE leaves out. */
void short_name_put(struct buffer *out, const char *name, enum short_name_level level);

/* Returns true if NAME is a runtime's name for generated code: a Java method with its types, as in HotSpot's maps, or a
 * function of Python or Node.js with the path of its file. Its short form has neither types nor folders. */
bool short_name_is_generated(const char *name);

#endif
