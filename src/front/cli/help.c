/* SPDX-License-Identifier: MIT */
#include "front/cli/help.h"

#include "common/base/buffer.h"

#include <string.h>

enum { HELP_COLUMN = 26 };

void help_wrap(struct buffer *text, const char *words, size_t column, size_t indent)
{
    const char *before = "";
    while (*words) {
        size_t length = strcspn(words, " ");
        if (column + strlen(before) + length > HELP_WIDTH && *before) {
            buffer_printf(text, "\n%*s", (int)indent, "");
            column = indent;
            before = "";
        }
        buffer_printf(text, "%s%.*s", before, (int)length, words);
        column += strlen(before) + length;
        words += length + strspn(words + length, " ");
        before = " ";
    }
    buffer_puts(text, "\n");
}

/* Appends the help of ROW, with the list of values for "{}". */
static void put_sentences(struct buffer *text, const struct option_row *row)
{
    const char *list = strstr(row->help, "{}");
    buffer_append(text, row->help, list ? (size_t)(list - row->help) : strlen(row->help));
    if (!list)
        return;
    option_list_values(text, row, ", ");
    buffer_puts(text, list + strlen("{}"));
}

static void put_option(struct buffer *text, const struct option_row *row, const char *words)
{
    const char letter[] = {'-', row->letter, ',', 0};
    const char *before = !row->argument ? "" : row->optional ? "[=" : "=";
    size_t start = text->length;
    buffer_printf(text, "  %3s %s%s%s%s", row->letter ? letter : "", row->name, before,
                  row->argument ? row->argument : "", row->optional ? "]" : "");
    size_t length = text->length - start;
    if (length + 2 > HELP_COLUMN)
        buffer_puts(text, "\n");
    buffer_printf(text, "%*s", length + 2 > HELP_COLUMN ? HELP_COLUMN : HELP_COLUMN - (int)length, "");
    help_wrap(text, words, HELP_COLUMN, HELP_COLUMN);
}

static void put_sentences_of(struct buffer *text, const struct option_row *row)
{
    struct buffer words = {0};
    put_sentences(&words, row);
    put_option(text, row, words.bytes ? words.bytes : "");
    text->failed |= words.failed;
    buffer_fini(&words);
}

static void put_group(struct buffer *text, const struct subcommand *command, enum option_group group)
{
    static const char *const headings[] = {
        [GROUP_PROCESSES] = "Processes",
        [GROUP_SAMPLING] = "Sampling",
        [GROUP_OUTPUT] = "Output",
        [GROUP_TABLES] = "Tables and trees",
        [GROUP_FILTERS] = "Show only these samples (each option can be repeated)",
        [GROUP_LIMITS] = "Comparison and limits",
        [GROUP_CALLS] = "Emulated calls: profil, sprofil, pcsample",
        [GROUP_GENERAL] = "General",
    };
    bool first = true;
    for (const struct option_row *row = option_table; row < option_table + option_table_count; row++) {
        if (row->group != group || !(row->commands & command->bit))
            continue;
        if (first)
            buffer_printf(text, "\n%s:\n", headings[group]);
        first = false;
        put_sentences_of(text, row);
    }
}

static void put_all(struct buffer *text, const struct subcommand *command)
{
    buffer_printf(text, "Usage: %s", command->usage);
    if (command->purpose) {
        buffer_puts(text, "\n");
        help_wrap(text, command->purpose, 0, 0);
    }
    if (command->examples)
        buffer_printf(text, "\nExamples:\n%s", command->examples);
    for (int group = 0; group < OPTION_GROUPS; group++)
        put_group(text, command, (enum option_group)group);
    if (command->notes) {
        buffer_puts(text, "\n");
        help_wrap(text, command->notes, 0, 0);
    }
}

static bool has_brief(const struct subcommand *command)
{
    for (size_t i = 0; i < option_table_count; i++)
        if (option_table[i].brief && option_table[i].commands & command->bit)
            return true;
    return false;
}

static void put_short(struct buffer *text, const struct subcommand *command)
{
    buffer_printf(text, "Examples:\n%s\nUsage: %s\n", command->examples, command->usage);
    for (const struct option_row *row = option_table; row < option_table + option_table_count; row++)
        if (row->brief && row->commands & command->bit)
            put_option(text, row, row->brief);
    buffer_printf(text, "\n'%s --help=all' lists all options; see also 'man %s'.\n", command->called, command->page);
}

/* Appends what a shell can propose for the argument of ROW. */
static void put_words(struct buffer *text, const struct option_row *row)
{
    static const char *const kinds[] = {
        [WORDS_ENDINGS] = "files",         [WORDS_FILES] = "files",
        [WORDS_FOLDERS] = "folders",       [WORDS_PIDS] = "pids",
        [WORDS_NAMES] = "names",           [WORDS_CGROUPS] = "cgroups",
        [WORDS_CONTAINERS] = "containers",
    };
    struct buffer list = {0};
    option_list_values(&list, row, " ");
    if (kinds[row->words])
        buffer_puts(text, kinds[row->words]);
    else
        buffer_printf(text, "%s%s", list.length ? "words:" : "-", list.length ? list.bytes : "");
    buffer_fini(&list);
}

/* Appends the line for one NAME of ROW. Only the first name has the letter. */
static void put_line(struct buffer *text, const struct option_row *row, const char *name)
{
    const char letter[] = {'-', name == row->name ? row->letter : 0, 0};
    struct buffer sentences = {0};
    put_sentences(&sentences, row);
    const char *about = row->brief ? row->brief : sentences.bytes ? sentences.bytes : "", *end = strstr(about, ". ");
    buffer_printf(text, "%s\t%s\t%s%s%s\t", name, letter, row->optional ? "[" : "", row->argument ? row->argument : "-",
                  row->optional ? "]" : "");
    put_words(text, row);
    buffer_printf(text, "\t%.*s\n", (int)(end ? (size_t)(end - about) : strlen(about)), about);
    buffer_fini(&sentences);
}

static void put_list(struct buffer *text, const struct subcommand *command)
{
    for (const struct option_row *row = option_table; row < option_table + option_table_count; row++) {
        if (!(row->commands & command->bit))
            continue;
        put_line(text, row, row->name);
        if (row->also)
            put_line(text, row, row->also);
    }
    for (const struct subcommand *other = commands; command == commands && other->name; other++) {
        const struct option_row argument = {.words = other->words, .values = other->values};
        buffer_printf(text, "%s\t-\t-\t", other->name);
        put_words(text, &argument);
        buffer_printf(text, "\t%s\n", other->about);
    }
}

void help_put(struct buffer *text, const struct subcommand *command, enum options_help help)
{
    if (help == HELP_LIST)
        put_list(text, command);
    else if (help == HELP_SHORT && has_brief(command))
        put_short(text, command);
    else
        put_all(text, command);
}
