/* SPDX-License-Identifier: MIT */
#include "front/cli/option_row.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/semantics/semantics.h"
#include "common/text/duration.h"
#include "common/text/limit.h"
#include "front/cli/commands.h"
#include "front/cli/manual.h"
#include "profile/report/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_name(struct option_lists *lists, size_t *count, const char *name, size_t index)
{
    const struct option_row *row = &option_table[index];
    int takes = !row->argument ? no_argument : row->optional ? optional_argument : required_argument;
    lists->names[(*count)++] = (struct option){name + strlen("--"), takes, NULL, OPTION_FIRST_VALUE + (int)index};
}

void option_lists_init(struct option_lists *lists, unsigned command, bool stops)
{
    char *letter = lists->letters;
    size_t count = 0;
    memset(lists, 0, sizeof *lists);
    if (stops)
        *letter++ = '+';
    *letter++ = ':'; /* getopt_long reports missing arguments, and prints nothing */
    for (size_t i = 0; i < option_table_count && i < OPTION_MOST_ROWS; i++) {
        const struct option_row *row = &option_table[i];
        if (!(row->commands & command))
            continue;
        add_name(lists, &count, row->name, i);
        if (row->also)
            add_name(lists, &count, row->also, i);
        if (row->letter)
            *letter++ = row->letter;
        if (row->letter && row->argument && !row->optional)
            *letter++ = ':';
    }
}

const struct option_row *option_row_taken(unsigned command, int option)
{
    if (option >= OPTION_FIRST_VALUE)
        return &option_table[option - OPTION_FIRST_VALUE];
    return option_row_lettered(command, (char)option);
}

const struct option_row *option_row_named(unsigned bits, const char *name)
{
    for (const struct option_row *row = option_table; row < option_table + option_table_count; row++)
        if (row->commands & bits && (!strcmp(row->name, name) || (row->also && !strcmp(row->also, name))))
            return row;
    return NULL;
}

const struct option_row *option_row_lettered(unsigned bits, char letter)
{
    for (const struct option_row *row = option_table; row < option_table + option_table_count; row++)
        if (row->commands & bits && row->letter && row->letter == letter)
            return row;
    return NULL;
}

/* Sets *WORD and *LENGTH to the next word of VALUES, which may be NULL. Returns false at the end. *WORD is NULL at
 * first. */
static bool next_value(const char *values, const char **word, size_t *length)
{
    const char *next = *word ? *word + *length : values;
    if (!next)
        return false;
    next += strspn(next, " ");
    *word = next;
    *length = strcspn(next, " ");
    return *length > 0;
}

static void list_endings(struct buffer *text, const char *between)
{
    bool first = true;
    for (const struct report_format *format = report_formats; format->name; format++)
        for (const char *const *ending = format->endings; *ending; ending++, first = false) {
            bool same = **ending == '.' && !strcmp(*ending + 1, format->name);
            buffer_printf(text, "%s%s", first ? "" : between, *ending);
            if (!same)
                buffer_printf(text, " (%s)", format->name);
        }
}

void option_list_values(struct buffer *text, const struct option_row *row, const char *between)
{
    const char *word = NULL;
    size_t length = 0;
    if (row->words == WORDS_ENDINGS)
        list_endings(text, between);
    for (const struct report_format *format = report_formats; row->words == WORDS_FORMATS && format->name; format++)
        buffer_printf(text, "%s%s", format == report_formats ? "" : between, format->name);
    for (size_t i = 0; row->words == WORDS_SYSTEMS && i < semantics_system_count; i++)
        buffer_printf(text, "%s%s", i ? between : "", semantics_systems[i].name);
    for (const struct manual_page *page = manual_pages; row->words == WORDS_TOPICS && page->topic; page++)
        buffer_printf(text, "%s%s", page == manual_pages ? "" : between, page->topic);
    for (bool first = row->words == WORDS_LISTED; next_value(row->values, &word, &length); first = false)
        buffer_printf(text, "%s%.*s", first ? "" : between, (int)length, word);
}

/* The name of an option in messages: "-F, --rate". */
struct label {
    char text[40];
};

static struct label label_of(const struct option_row *row)
{
    const char letter[] = {'-', row->letter, ',', ' ', 0};
    struct label label;
    snprintf(label.text, sizeof label.text, "%s%s", row->letter ? letter : "", row->name);
    return label;
}

int option_refuse(const struct option_given *given, const char *format, ...)
{
    char *why = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&why, format, values);
    va_end(values);
    error_set(given->error, EINVAL, "%s: %s", label_of(given->row).text, length < 0 ? "out of memory" : why);
    if (length >= 0)
        free(why);
    return -EINVAL;
}

int option_number(const struct option_given *given, uint32_t low, uint32_t high, const char *unit, uint32_t *value)
{
    return limit_whole(label_of(given->row).text, given->text, low, high, unit, value, given->error);
}

int option_duration(const struct option_given *given, uint64_t low_ns, uint64_t high_ns, const char *limits,
                    uint64_t *ns)
{
    uint64_t value;
    if (!duration_parse(given->text, strlen(given->text), &value) || value < low_ns || value > high_ns)
        return option_refuse(given, "'%s' is not a time from %s, such as 10s", given->text, limits);
    *ns = value;
    return 0;
}

static int index_of(const char *values, const char *text)
{
    const char *word = NULL;
    size_t length = 0;
    for (int i = 0; next_value(values, &word, &length); i++)
        if (strlen(text) == length && !strncmp(word, text, length))
            return i;
    return -1;
}

/* Returns the commands whose option of this name accepts TEXT. */
static unsigned commands_with(const struct option_row *row, const char *text)
{
    unsigned bits = 0;
    for (size_t i = 0; i < option_table_count; i++)
        if (!strcmp(option_table[i].name, row->name) && index_of(option_table[i].values, text) >= 0)
            bits |= option_table[i].commands;
    return bits;
}

int option_choice(const struct option_given *given)
{
    struct buffer list = {0}, others = {0};
    int index = index_of(given->row->values, given->text);
    if (index >= 0)
        return index;
    option_list_values(&list, given->row, ", ");
    commands_list(&others, commands_with(given->row, given->text));
    option_refuse(given, "'%s' is not one of %s%s%s", given->text, list.bytes ? list.bytes : "?",
                  others.length ? "; it is for " : "", others.length ? others.bytes : "");
    buffer_fini(&list);
    buffer_fini(&others);
    return -EINVAL;
}

void *option_member(struct options *options, const struct option_row *row)
{
    return (char *)options + row->at;
}

int option_set_flag(struct options *options, const struct option_given *given)
{
    *(bool *)option_member(options, given->row) = true;
    return 0;
}

int option_clear_flag(struct options *options, const struct option_given *given)
{
    *(bool *)option_member(options, given->row) = false;
    return 0;
}

int option_set_text(struct options *options, const struct option_given *given)
{
    *(const char **)option_member(options, given->row) = given->text;
    return 0;
}

/* No such enum has a negative enumerator: the compiler stores them as unsigned. */
int option_set_choice(struct options *options, const struct option_given *given)
{
    int index = option_choice(given);
    if (index < 0)
        return index;
    *(unsigned *)option_member(options, given->row) = given->row->low + (unsigned)index;
    return 0;
}

int option_set_number(struct options *options, const struct option_given *given)
{
    const struct option_row *row = given->row;
    return option_number(given, row->low, row->high, row->unit, option_member(options, row));
}
