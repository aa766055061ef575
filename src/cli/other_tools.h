/* SPDX-License-Identifier: MIT
 *
 * Options and commands of perf, strace, py-spy and others that ptprofil does not have, and what to use instead. */
#ifndef CLI_OTHER_TOOLS_H
#define CLI_OTHER_TOOLS_H

#include <stdbool.h>

/* Returns what to use in COMMAND (enum command_bit) instead of the option with this LETTER, or if that is 0 with this
 * long NAME; NULL if the option is not known. */
const char *other_tools_option(unsigned command, char letter, const char *name);

/* The same for WORD, which the command line begins with. RESERVED: only words that ptprofil never takes for a program,
 * unless "--" stands before them. */
const char *other_tools_command(const char *word, bool reserved);

#endif
