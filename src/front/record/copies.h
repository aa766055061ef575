/* SPDX-License-Identifier: MIT
 *
 * Executable memory without a file that holds a copy of a file's code. */
#ifndef RECORD_COPIES_H
#define RECORD_COPIES_H

#include "front/record/object.h"

/* Finds copies in MAP, the mappings of process PID. NUMBERS: the objects of its ranges. Ranges that hold a copy of the
 * surrounding file's code become ranges of that file. BEFORE: the previous map, with the copies found then. Returns
 * true if more ranges may become copies, because the program has not finished copying. */
bool copies_find(struct objects *objects, pid_t pid, const struct address_map *before, struct address_map *map,
                 uint32_t *numbers);

#endif
