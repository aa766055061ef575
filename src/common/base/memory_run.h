/* SPDX-License-Identifier: MIT
 *
 * A part of a thread's stack that was copied. */
#ifndef BASE_MEMORY_RUN_H
#define BASE_MEMORY_RUN_H

#include <stdint.h>

/* A range of memory. The copies of several ranges are stored one after the other. */
struct memory_run {
    uint64_t start, size;
};

#endif
