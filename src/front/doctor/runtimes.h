/* SPDX-License-Identifier: MIT
 *
 * Runtimes whose programs look unusual to a profiler of native code, and what to do. Pure. */
#ifndef DOCTOR_RUNTIMES_H
#define DOCTOR_RUNTIMES_H

#include "programs/interp/languages.h"

struct runtime {
    const char *name;
    const char
        *compiled; /* text after "NAME: " if the generated code ([anon]) has no names; NULL: it generates no code */
    const char *interpreted;       /* the same if its own functions are shown instead of the program's; NULL: it never
                                    * interprets */
    enum interp_language language; /* of the program's functions, if they can be shown; or INTERP_NONE */
};

/* Returns the runtime of an object with file name FILE (without folders), or NULL if it is unknown. */
const struct runtime *runtimes_find(const char *file);

#endif
