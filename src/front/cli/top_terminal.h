/* SPDX-License-Identifier: MIT
 *
 * Decides where `ptprofil top` shows its output, and where the command's output goes during that. */
#ifndef CLI_TOP_TERMINAL_H
#define CLI_TOP_TERMINAL_H

#include <stdbool.h>
#include <unistd.h>

struct error;
struct options;

/* Close it even if it could not be opened. */
struct top_terminal {
    bool full;                    /* it uses a full screen */
    bool hides;                   /* the command's output to the terminal goes to /dev/null */
    int in, out;                  /* copies of the terminal; OUT may be a copy of the output for tables; or -1 */
    int saved[STDERR_FILENO + 1]; /* our own standard descriptors, while the command's replace them; or -1 */
};

/* Chooses the full screen if the output goes to a capable terminal and keys can be read, otherwise tables. Prints why a
 * terminal has no full screen. Returns 0 or -errno with ERROR set. */
int top_terminal_open(struct top_terminal *terminal, const struct options *options, struct error *error);

/* Replaces our standard descriptors by those that the command inherits, so that it cannot write to a full screen.
 * Returns 0 or -errno with ERROR set. */
int top_terminal_give(struct top_terminal *terminal, const struct options *options, struct error *error);

/* Undoes that. */
void top_terminal_take(struct top_terminal *terminal);

void top_terminal_close(struct top_terminal *terminal);

#endif
