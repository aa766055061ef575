/* SPDX-License-Identifier: MIT
 *
 * Where a jump or a call goes, by its text. Pure. */
#ifndef CODE_TARGET_H
#define CODE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/* Sets *ADDRESS to where TEXT, an instruction as disassembly.h has it, goes. False if it goes nowhere else, or to a
 * place that it does not tell. */
bool target_of(const char *text, uint64_t *address);

#endif
