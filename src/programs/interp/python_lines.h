/* SPDX-License-Identifier: MIT
 *
 * The line tables of CPython's code objects. Pure. OFFSET is an instruction's, in bytes; each function returns its
 * line, or 0 if unknown. */
#ifndef INTERP_PYTHON_LINES_H
#define INTERP_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/* co_lnotab, up to 3.9. */
uint32_t python_lines_8(uint32_t first_line, const unsigned char *table, size_t size, uint64_t offset);

/* co_linetable of 3.10. */
uint32_t python_lines_10(uint32_t first_line, const unsigned char *table, size_t size, uint64_t offset);

/* co_linetable from 3.11. */
uint32_t python_lines_11(uint32_t first_line, const unsigned char *table, size_t size, uint64_t offset);

#endif
