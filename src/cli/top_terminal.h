/* SPDX-License-Identifier: MIT
 *
 * Where `ptprofil top` shows what it has to show, and where the output of a command goes meanwhile. */
#ifndef CLI_TOP_TERMINAL_H
#define CLI_TOP_TERMINAL_H

#include "cli/options.h"

#include <stdbool.h>
#include <unistd.h>

/* To be closed even if it could not be opened. */
struct top_terminal {
    bool full;                    /* there is a full screen */
    bool hides;                   /* what the command writes to the terminal goes to /dev/null */
    int in, out;                  /* copies of the terminal, or OUT of what tables are printed to; or -1 */
    int saved[STDERR_FILENO + 1]; /* our own standard descriptors, as long as the command's are in their place; or -1 */
};

/* Chooses: the whole screen where the output for people goes to a terminal that has one, and keys can be read, else
 * tables; says why a terminal has none. Returns 0 or -errno with ERROR set. */
int top_terminal_open(struct top_terminal *terminal, const struct options *options, struct error *error);

/* Puts in the place of our standard descriptors those that the command is to inherit: a full screen is not to be
 * written to. Returns 0 or -errno with ERROR set. */
int top_terminal_give(struct top_terminal *terminal, const struct options *options, struct error *error);

/* Undoes that. */
void top_terminal_take(struct top_terminal *terminal);

void top_terminal_close(struct top_terminal *terminal);

#endif
