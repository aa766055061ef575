/* SPDX-License-Identifier: MIT
 *
 * One option of the command line. option_table.c has a row for each; getopt's lists, --help, the completions and the
 * messages about unknown options are all made from these rows. */
#ifndef CLI_OPTION_ROW_H
#define CLI_OPTION_ROW_H

#include "base/buffer.h"
#include "base/error.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options;
struct option_row;

/* An option on the command line. */
struct option_given {
    const struct option_row *row;
    const char *text;    /* the argument, which must live as long as struct options; NULL if none exists */
    struct error *error; /* to be set if it is wrong */
};

/* Stores the option GIVEN in OPTIONS. Returns 0, or -EINVAL or another -errno with the error set. */
typedef int option_taker(struct options *options, const struct option_given *given);

/* The commands of ptprofil, as bits: an option can belong to several. */
enum command_bit {
    COMMAND_RECORD = 1 << 0,
    COMMAND_REPORT = 1 << 1,
    COMMAND_TOP = 1 << 2,
    COMMAND_SEMANTICS = 1 << 3,
    COMMAND_DOCTOR = 1 << 4,
    COMMAND_HELP = 1 << 5,
    COMMAND_VERSION = 1 << 6,
    COMMAND_ALL = (1 << 7) - 1
};

/* The headings of --help=all, in the order of printing. */
enum option_group {
    GROUP_PROCESSES,
    GROUP_SAMPLING,
    GROUP_OUTPUT,
    GROUP_TABLES,
    GROUP_FILTERS,
    GROUP_LIMITS,
    GROUP_CALLS,
    GROUP_GENERAL,
    OPTION_GROUPS
};

/* What a shell proposes for an argument. */
enum option_words {
    WORDS_LISTED, /* the words of `values` alone, or nothing */
    WORDS_FORMATS,
    WORDS_SYSTEMS,
    WORDS_ENDINGS, /* files; --help lists the endings of the formats */
    WORDS_FILES,
    WORDS_FOLDERS,
    WORDS_PIDS,
    WORDS_NAMES, /* of processes */
    WORDS_CGROUPS,
    WORDS_CONTAINERS
};

struct option_row {
    const char *name;     /* the long name, such as "--rate" */
    const char *also;     /* another long name, or NULL */
    char letter;          /* 0: none */
    bool optional;        /* the argument can be left out */
    unsigned commands;    /* enum command_bit */
    const char *argument; /* what --help calls it; NULL: it takes none */
    enum option_group group;
    enum option_words words;
    const char *values; /* words separated by spaces: all that are allowed, if take is option_set_choice */
    const char *brief;  /* what the short --help says, one line; NULL: it does not list the option */
    const char *help;   /* sentences; "{}" is replaced by the list of values, formats, systems or endings */

    option_taker *take;
    size_t at;          /* for option_set_*: the offset in struct options of what is set */
    uint32_t low, high; /* for option_set_number: its limits; for option_set_choice, low is the first word's value */
    const char *unit;   /* for option_set_number: ends the message about a wrong number, such as ": seconds" */
};

extern const struct option_row option_table[];
extern const size_t option_table_count;

enum { OPTION_MOST_ROWS = 96, OPTION_FIRST_VALUE = 256 };

/* What getopt_long needs for the options of one command. */
struct option_lists {
    char letters[2 * OPTION_MOST_ROWS + 3];
    struct option names[2 * OPTION_MOST_ROWS + 1]; /* ended by one without a name */
};

/* Fills LISTS with the options of COMMAND, one enum command_bit. STOPS: the first word that is not an option ends the
 * options. */
void option_lists_init(struct option_lists *lists, unsigned command, bool stops);

/* Returns the row of COMMAND for OPTION, as getopt_long returns it with these lists; NULL for '?' and ':'. */
const struct option_row *option_row_taken(unsigned command, int option);

/* Returns the first row of one of the commands BITS that has this long name or letter, or NULL. */
const struct option_row *option_row_named(unsigned bits, const char *name);
const struct option_row *option_row_lettered(unsigned bits, char letter);

/* Appends the known values of the argument of ROW, with BETWEEN between the words. */
void option_list_values(struct buffer *text, const struct option_row *row, const char *between);

/* Sets the error to "-F, --rate: " and the formatted text. Returns -EINVAL. */
int option_refuse(const struct option_given *given, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets *VALUE to the whole number from LOW to HIGH that is given; UNIT ends the message if it is not one. Returns 0, or
 * -EINVAL with the error set. */
int option_number(const struct option_given *given, uint32_t low, uint32_t high, const char *unit, uint32_t *value);

/* Returns the index of what is given among the values of its row, or -EINVAL with the error set. */
int option_choice(const struct option_given *given);

/* Returns the address of the member of OPTIONS at row->at. */
void *option_member(struct options *options, const struct option_row *row);

/* Takers for simple options, which set row->at: a bool to true or false, a string, an enumerator, a uint32_t. */
option_taker option_set_flag, option_clear_flag, option_set_text, option_set_choice, option_set_number;

#endif
