/* SPDX-License-Identifier: MIT
 *
 * Which memory a process could write to itself, from the text of its /proc/PID/maps. Pure. */
#ifndef MODEL_WRITABLE_H
#define MODEL_WRITABLE_H

#include <stdbool.h>
#include <stdint.h>

/* A mapping that the process can write, as far as its protection goes. */
struct writable_part {
    uint64_t start, end;
    bool readable; /* is it mapped for reading, too? */
    bool of_file;  /* which may end before the mapping does */
};

/* Finds the mapping in *TEXT that contains ADDRESS, in lines sorted as the kernel has them, and moves *TEXT behind
 * it, so that a search for a higher address can continue there. Returns false if no mapping, or no writable one,
 * contains ADDRESS. */
bool writable_find(const char **text, uint64_t address, struct writable_part *part);

#endif
