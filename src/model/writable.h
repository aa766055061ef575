/* SPDX-License-Identifier: MIT
 *
 * Which memory a process could write to itself, from the text of its /proc/PID/maps. Pure. */
#ifndef MODEL_WRITABLE_H
#define MODEL_WRITABLE_H

#include <stdbool.h>
#include <stdint.h>

/* True if each of the SIZE bytes at ADDRESS lies in a writable mapping of TEXT, lines sorted as the kernel has them. SIZE
 * is not 0, and ADDRESS + SIZE does not wrap. */
bool writable_range(const char *text, uint64_t address, uint64_t size);

#endif
