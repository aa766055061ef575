/* SPDX-License-Identifier: MIT
 *
 * Executable memory without a file that holds a copy of a file's code. */
#ifndef RECORD_COPIES_H
#define RECORD_COPIES_H

#include "record/object.h"

/* MAP is what process PID has mapped, NUMBERS the objects of its ranges. Those that hold a copy of what the file around
 * them has there become ranges of that file. BEFORE: the map as it was before, with the copies that were found then.
 * True if some may become one: a program that is just copying its code is not through. */
bool copies_find(struct objects *objects, pid_t pid, const struct address_map *before, struct address_map *map,
                 uint32_t *numbers);

#endif
