/* SPDX-License-Identifier: MIT
 *
 * The interpreted languages whose frames can be shown, and what they are called. */
#ifndef INTERP_LANGUAGES_H
#define INTERP_LANGUAGES_H

#include <stdbool.h>

/* A line for each. Its rules (struct interp_rules of interp/runtime.h) are in the file of its name. */
#define INTERP_EACH_LANGUAGE(X)                                                                                        \
    X(PYTHON, python)                                                                                                  \
    X(PHP, php)                                                                                                        \
    X(PERL, perl)                                                                                                      \
    X(RUBY, ruby)

#define INTERP_ENUMERATOR(NAME, name) INTERP_##NAME,
enum interp_language { INTERP_NONE, INTERP_EACH_LANGUAGE(INTERP_ENUMERATOR) INTERP_LANGUAGES };
#undef INTERP_ENUMERATOR

/* Return the usual name of LANGUAGE; the name that a profile has in place of a module; and the type of its frames in
 * OTLP. For INTERP_NONE they are empty. */
const char *interp_language_name(enum interp_language language);
const char *interp_module_name(enum interp_language language);
const char *interp_frame_type(enum interp_language language);

/* Returns true if frames of LANGUAGE show each entry of its interpreter. */
bool interp_shows_entries(enum interp_language language);

/* Returns true if an interpreter of LANGUAGE may run code that it generates, which stores a frame's instruction late or
 * never. */
bool interp_is_compiled(enum interp_language language);

/* Returns the language whose functions a profile has in MODULE, or INTERP_NONE. */
enum interp_language interp_language_of(const char *module);

/* Returns true if a program with the file name NAME, without folders, may be an interpreter. */
bool interp_is_program(const char *name);

#endif
