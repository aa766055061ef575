/* SPDX-License-Identifier: MIT
 *
 * One option of the command line. option_table.c has a row for each. The lists for getopt, --help, the completions and
 * the messages about unknown options all come from these rows. */
#ifndef CLI_OPTION_ROW_H
#define CLI_OPTION_ROW_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct error;
struct option_row;
struct options;

/* An option on the command line. */
struct option_given {
    const struct option_row *row;
    const char *text;    /* the argument, which must outlive struct options; NULL: none */
    struct error *error; /* set it if the argument is wrong */
};

/* Stores the option GIVEN in OPTIONS. Returns 0, or -EINVAL or another -errno with the error set. */
typedef int option_taker(struct options *options, const struct option_given *given);

/* The commands of ptprofil as bits, because an option can belong to several. */
enum command_bit {
    COMMAND_RECORD = 1 << 0,
    COMMAND_REPORT = 1 << 1,
    COMMAND_TOP = 1 << 2,
    COMMAND_SEMANTICS = 1 << 3,
    COMMAND_DOCTOR = 1 << 4,
    COMMAND_HELP = 1 << 5,
    COMMAND_VERSION = 1 << 6,
    COMMAND_SCHEMA = 1 << 7,
    COMMAND_DUMP = 1 << 8,
    COMMAND_ALL = (1 << 9) - 1
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

/* What a shell completes as an argument. */
enum option_words {
    WORDS_LISTED, /* only the words in `values`, or nothing */
    WORDS_FORMATS,
    WORDS_SYSTEMS,
    WORDS_TOPICS,  /* of the manual */
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
    bool optional;        /* the argument is optional */
    unsigned commands;    /* enum command_bit */
    const char *argument; /* name of the argument in --help; NULL: no argument */
    enum option_group group;
    enum option_words words;
    const char *values; /* words separated by spaces; if take is option_set_choice, no others are allowed */
    const char *brief;  /* text for the short --help, one line; NULL: not in the short help */
    const char *help;   /* sentences for --help=all; "{}" is replaced by the list of values, formats, systems or
                         * endings */

    option_taker *take;
    size_t at;          /* for option_set_*: offset in struct options of the member to set */
    uint32_t low, high; /* for option_set_number: its limits; for option_set_choice, low is the first word's value */
    const char *unit;   /* for option_set_number: end of the message about a wrong number, such as ": seconds" */
};

extern const struct option_row option_table[];
extern const size_t option_table_count;

enum { OPTION_MOST_ROWS = 96, OPTION_FIRST_VALUE = 256 };

/* Lists for getopt_long with the options of one command. */
struct option_lists {
    char letters[2 * OPTION_MOST_ROWS + 3];
    struct option names[2 * OPTION_MOST_ROWS + 1]; /* the last has no name */
};

/* Fills LISTS with the options of COMMAND, one enum command_bit. STOPS: the first word that is not an option ends the
 * options. */
void option_lists_init(struct option_lists *lists, unsigned command, bool stops);

/* Returns the row of COMMAND for OPTION, the result of getopt_long with these lists. Returns NULL for '?' and ':'. */
const struct option_row *option_row_taken(unsigned command, int option);

/* Returns the first row with this long name or letter in one of the commands BITS, or NULL. */
const struct option_row *option_row_named(unsigned bits, const char *name);
const struct option_row *option_row_lettered(unsigned bits, char letter);

/* Appends the known values for the argument of ROW, separated by BETWEEN. */
void option_list_values(struct buffer *text, const struct option_row *row, const char *between);

/* Sets the error to "-F, --rate: " and the formatted text. Returns -EINVAL. */
int option_refuse(const struct option_given *given, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets *VALUE to the given whole number, which must be from LOW to HIGH; UNIT ends the message if it is not. Returns 0,
 * or -EINVAL with the error set. */
int option_number(const struct option_given *given, uint32_t low, uint32_t high, const char *unit, uint32_t *value);

/* Sets *NS to the given length of time, which must be from LOW_NS to HIGH_NS; LIMITS ("1s to 1h") are these in the
 * message if it is not. Returns 0, or -EINVAL with the error set. */
int option_duration(const struct option_given *given, uint64_t low_ns, uint64_t high_ns, const char *limits,
                    uint64_t *ns);

/* Returns the index of the argument among the values of its row, or -EINVAL with the error set. */
int option_choice(const struct option_given *given);

/* Returns the address of the member of OPTIONS at row->at. */
void *option_member(struct options *options, const struct option_row *row);

/* Takers for simple options. They set the member at row->at: a bool to true or false, a string, an enumerator, a
 * uint32_t. */
option_taker option_set_flag, option_clear_flag, option_set_text, option_set_choice, option_set_number;

#endif
