/* SPDX-License-Identifier: MIT
 *
 * What --help prints, made from the tables of commands and options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/buffer.h"
#include "cli/commands.h"

enum { HELP_WIDTH = 80, HELP_LINES = 24 /* of the short help */ };

/* Appends the help of COMMAND to TEXT. Its lines have at most HELP_WIDTH columns, but for HELP_LIST: that has a line
 * for each option, and of `record` one for each command, with five fields that are separated by tabs: name, letter,
 * argument, what a shell can propose for that, what it does. A field that is empty is "-". */
void help_put(struct buffer *text, const struct subcommand *command, enum options_help help);

/* Appends WORDS, from column COLUMN on, and a newline. Breaks lines before column HELP_WIDTH; the next ones begin in
 * column INDENT. */
void help_wrap(struct buffer *text, const char *words, size_t column, size_t indent);

#endif
