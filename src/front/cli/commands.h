/* SPDX-License-Identifier: MIT
 *
 * ptprofil's own commands: words with which its command line can begin. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "front/cli/options.h"

#include <stdbool.h>

struct error;

struct subcommand {
    const char *name;
    const char *called; /* its name in messages, such as "ptprofil report" */
    unsigned bit;       /* enum command_bit */
    enum options_action action;
    bool stops;              /* the first word that is not an option ends the options */
    enum option_words words; /* kind of its arguments, for completion, as in struct option_row */
    const char *values;
    const char *page;     /* its manual page */
    const char *about;    /* its purpose in a few words */
    const char *examples; /* first lines of --help; NULL: none */
    const char *usage;    /* lines after "Usage: " */
    const char *purpose;  /* sentences for --help=all */
    const char *notes;    /* sentences at the end of --help=all, or NULL */

    /* Sets the defaults of this command. May be NULL. */
    void (*begin)(struct options *options);

    /* Takes the words of ARGV after the options, from optind on, and checks all options together. Returns 0, or -EINVAL
     * or -ENOMEM with ERROR set. */
    int (*finish)(struct options *options, int argc, char **argv, struct error *error);
};

/* The first is the default. The last has name NULL. */
extern const struct subcommand commands[];

/* Returns the command called NAME, or NULL. */
const struct subcommand *commands_find(const char *name);

/* Returns the name of the command that WORD is, or of which it is a misspelling; or NULL. */
const char *commands_nearest(const char *word);

/* Appends the names of the commands in BITS (enum command_bit): "'ptprofil' and 'ptprofil report'". */
void commands_list(struct buffer *text, unsigned bits);

/* getopt_error.c: explains why getopt_long returned OPTION (':' or '?') for ARGV and LISTS, the options of COMMAND.
 * Returns -EINVAL with ERROR set. */
int getopt_error(int option, char **argv, const struct subcommand *command, const struct option_lists *lists,
                 struct error *error);

#endif
