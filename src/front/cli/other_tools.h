/* SPDX-License-Identifier: MIT
 *
 * Options and commands of perf, strace, py-spy and other tools, with their replacements in ptprofil. */
#ifndef CLI_OTHER_TOOLS_H
#define CLI_OTHER_TOOLS_H

#include <stdbool.h>

/* Returns the replacement, in COMMAND (enum command_bit), of another tool's option: by its LETTER, or by its long NAME
 * if LETTER is 0. Returns NULL if the option is unknown. */
const char *other_tools_option(unsigned command, char letter, const char *name);

/* Returns the replacement of the command WORD, or NULL. RESERVED: only for words that ptprofil does not run as a
 * program without "--". */
const char *other_tools_command(const char *word, bool reserved);

#endif
