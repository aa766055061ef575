/* SPDX-License-Identifier: MIT
 *
 * Where `ptprofil top` shows its output, and where a command's output goes in the meantime. */
#ifndef CLI_TOP_TERMINAL_H
#define CLI_TOP_TERMINAL_H

#include "cli/options.h"

#include <stdbool.h>
#include <unistd.h>

/* To be closed even if it could not be opened. */
struct top_terminal {
    bool full;                    /* a full screen is used */
    bool hides;                   /* what the command writes to the terminal goes to /dev/null */
    int in, out;                  /* copies of the terminal, or OUT of what tables are printed to; or -1 */
    int saved[STDERR_FILENO + 1]; /* our own standard descriptors, as long as the command's are in their place; or -1 */
};

/* Chooses the full screen if the output for people goes to a capable terminal and keys can be read, else tables.
 * Says why a terminal has no full screen. Returns 0 or -errno with ERROR set. */
int top_terminal_open(struct top_terminal *terminal, const struct options *options, struct error *error);

/* Replaces our standard descriptors by those that the command inherits, because it must not write to a full screen.
 * Returns 0 or -errno with ERROR set. */
int top_terminal_give(struct top_terminal *terminal, const struct options *options, struct error *error);

/* Undoes that. */
void top_terminal_take(struct top_terminal *terminal);

void top_terminal_close(struct top_terminal *terminal);

#endif
