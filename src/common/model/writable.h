/* SPDX-License-Identifier: MIT
 *
 * Finds the memory that a process could write itself, from the text of its /proc/PID/maps. Pure. */
#ifndef MODEL_WRITABLE_H
#define MODEL_WRITABLE_H

#include <stdbool.h>
#include <stdint.h>

/* A mapping that the process can write, by its protection. */
struct writable_part {
    uint64_t start, end;
    bool readable; /* it is also readable */
    bool of_file;  /* the file may end before the mapping does */
};

/* Finds the mapping in *TEXT that contains ADDRESS. The lines are sorted, as the kernel writes them. Moves *TEXT past
 * the mapping, so that a search for a higher address can continue there. Returns false if no mapping, or no writable
 * one, contains ADDRESS. */
bool writable_find(const char **text, uint64_t address, struct writable_part *part);

#endif
