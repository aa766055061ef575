/* SPDX-License-Identifier: MIT
 *
 * ptprofil's own commands: the words that its command line can begin with. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/buffer.h"
#include "base/error.h"
#include "cli/option_row.h"
#include "cli/options.h"

#include <stdbool.h>

struct subcommand {
    const char *name;
    const char *called; /* what messages call it, such as "ptprofil report" */
    unsigned bit;       /* enum command_bit */
    enum options_action action;
    bool stops;              /* the first word that is not an option ends the options */
    enum option_words words; /* its arguments, for completion: as in struct option_row */
    const char *values;
    const char *page;     /* its manual page */
    const char *about;    /* what it does, a few words */
    const char *examples; /* lines that --help begins with; NULL: none */
    const char *usage;    /* lines after "Usage: " */
    const char *purpose;  /* sentences for --help=all */
    const char *notes;    /* sentences at the end of --help=all, or NULL */

    /* Sets the defaults that only this command has. Can be NULL. */
    void (*begin)(struct options *options);

    /* Takes ARGV from optind on, what follows the options, and checks all options together. Returns 0, or -EINVAL or
     * -ENOMEM with ERROR set. */
    int (*finish)(struct options *options, int argc, char **argv, struct error *error);
};

/* The first one is the default. The last has name NULL. */
extern const struct subcommand commands[];

/* Returns the command called NAME, or NULL. */
const struct subcommand *commands_find(const char *name);

/* Returns the name of the command that WORD is, or is a misspelling of, or NULL. */
const char *commands_nearest(const char *word);

/* Appends the commands of BITS (enum command_bit), as messages call them: "'ptprofil' and 'ptprofil report'". */
void commands_list(struct buffer *text, unsigned bits);

#endif
