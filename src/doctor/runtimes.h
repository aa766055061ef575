/* SPDX-License-Identifier: MIT
 *
 * Runtimes whose programs look different to a profiler of native code, and what helps. Pure. */
#ifndef DOCTOR_RUNTIMES_H
#define DOCTOR_RUNTIMES_H

#include <stdbool.h>
#include <stddef.h>

struct runtime {
    const char *name;
    bool compiles;      /* the time of its programs is in code that it makes ([anon]); else in its own functions */
    const char *advice; /* what follows "NAME: " */
};

/* Returns the runtime of an object called FILE, without folders; NULL if the runtime is unknown. */
const struct runtime *runtimes_find(const char *file);

/* The number of RUNTIME, less than RUNTIMES_MOST. */
enum { RUNTIMES_MOST = 16 };
size_t runtimes_number(const struct runtime *runtime);

#endif
