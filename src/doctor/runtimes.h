/* SPDX-License-Identifier: MIT
 *
 * Runtimes whose programs look different to a profiler of native code, and what helps. Pure. */
#ifndef DOCTOR_RUNTIMES_H
#define DOCTOR_RUNTIMES_H

#include <stddef.h>

struct runtime {
    const char *name;
    const char
        *compiled; /* what follows "NAME: " if the code that it makes ([anon]) has no names; NULL: it makes none */
    const char
        *interpreted;   /* the same if its own functions are shown, and not the program's; NULL: it never interprets */
    const char *module; /* of the program's functions, where these are known; or NULL */
};

/* Returns the runtime of an object called FILE, without folders; NULL if the runtime is unknown. */
const struct runtime *runtimes_find(const char *file);

/* The number of RUNTIME, less than RUNTIMES_MOST. */
enum { RUNTIMES_MOST = 16 };
size_t runtimes_number(const struct runtime *runtime);

#endif
