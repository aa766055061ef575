/* SPDX-License-Identifier: MIT
 *
 * Shortens names of C++, Rust and Java functions by leaving out template arguments and parameter lists:
 * "std::__cxx11::basic_string<char, ...>::compare(char const*) const" becomes "std::basic_string<...>::compare", and
 * "int java.util.TimSort.sort(int[], int)" becomes "java.util.TimSort.sort". Pure. */
#ifndef NAMES_SHORT_NAME_H
#define NAMES_SHORT_NAME_H

#include "base/buffer.h"

#include <stdbool.h>

/* How much is left out. Each level distinguishes functions that the level before gives the same name. */
enum short_name_level {
    SHORT_NAME_BARE,       /* arguments of templates and parameters */
    SHORT_NAME_ARGUMENTS,  /* parameters, and the arguments of templates within the arguments of others */
    SHORT_NAME_PARAMETERS, /* arguments of templates */
    SHORT_NAME_BOTH,       /* template arguments within template arguments */
    SHORT_NAME_WHOLE       /* only what is said of the part of a function that a compiler made (.cold, .isra.0) */
};

/* Appends NAME, a demangled, untrusted name, to OUT in its short form. A name whose brackets do not match only loses
 * what SHORT_NAME_WHOLE leaves out. */
void short_name_put(struct buffer *out, const char *name, enum short_name_level level);

/* True if NAME is what a runtime calls code that it made: a method of Java's with its types, as HotSpot's maps have it,
 * or a function of Python's or Node.js's with the path of its file. Short, it has neither types nor folders. */
bool short_name_is_generated(const char *name);

#endif
