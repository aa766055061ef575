/* SPDX-License-Identifier: MIT
 *
 * Names of C++, Rust and Java functions made short: what stands between the brackets of templates and of parameter
 * lists is left out, "std::__cxx11::basic_string<char, ...>::compare(char const*) const" becomes
 * "std::basic_string<...>::compare", and "int java.util.TimSort.sort(int[], int)" "java.util.TimSort.sort". Pure. */
#ifndef NAMES_SHORT_NAME_H
#define NAMES_SHORT_NAME_H

#include "base/buffer.h"

#include <stdbool.h>

/* How much is left out; each level tells functions apart that the one before gives the same name. */
enum short_name_level {
    SHORT_NAME_BARE,       /* arguments of templates and parameters */
    SHORT_NAME_ARGUMENTS,  /* parameters, and the arguments of templates within the arguments of others */
    SHORT_NAME_PARAMETERS, /* arguments of templates */
    SHORT_NAME_BOTH,       /* arguments of templates within those of others */
    SHORT_NAME_WHOLE       /* only what is said of the part of a function that a compiler made (.cold, .isra.0) */
};

/* Appends NAME, a demangled one of a stranger's, to OUT. One whose brackets do not match is only rid of what
 * SHORT_NAME_WHOLE leaves out. */
void short_name_put(struct buffer *out, const char *name, enum short_name_level level);

/* True if NAME is what a runtime calls code that it made: a method of Java's with its types, as HotSpot's maps have it,
 * or a function of Python's or Node.js's with the path of its file. Short, it has neither types nor folders. */
bool short_name_is_generated(const char *name);

#endif
