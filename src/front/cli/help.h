/* SPDX-License-Identifier: MIT
 *
 * Makes the text of --help from the tables of commands and options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "front/cli/commands.h"

enum { HELP_WIDTH = 80, HELP_LINES = 24 /* of the short help */ };

/* Appends the help of COMMAND to TEXT. Lines have at most HELP_WIDTH columns, except for HELP_LIST. HELP_LIST has a
 * line for each option, and for `record` also one for each command. Such a line has five fields separated by tabs:
 * name, letter, argument, completions for the argument, purpose. An empty field is "-". */
void help_put(struct buffer *text, const struct subcommand *command, enum options_help help);

/* Appends WORDS, starting in column COLUMN, and a newline. Breaks lines before column HELP_WIDTH; further lines begin
 * in column INDENT. */
void help_wrap(struct buffer *text, const char *words, size_t column, size_t indent);

#endif
