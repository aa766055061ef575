/* SPDX-License-Identifier: MIT */
#include "front/cli/option_row.h"

#include "common/base/buffer.h"
#include "front/cli/commands.h"
#include "front/cli/help.h"
#include "profile/report/report.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { COMMANDS = 7, MOST_LETTERS = 64 };

static const struct option_row *row_at(int index)
{
    return &option_table[index];
}

START_TEST(rows_are_whole)
{
    const struct option_row *row = row_at(_i);
    const char *list = strstr(row->help, "{}");
    ck_assert_msg(!strncmp(row->name, "--", 2) && row->name[2], "%s", row->name);
    ck_assert_msg(row->take && row->commands && !(row->commands & ~(unsigned)COMMAND_ALL), "%s", row->name);
    ck_assert_msg(row->help[strlen(row->help) - 1] == '.', "the help of %s does not end with a full stop", row->name);
    ck_assert_msg(!list || (row->argument && !strstr(list + 1, "{}")), "%s", row->name);
    ck_assert_msg(!list || row->values || row->words != WORDS_LISTED, "the list of %s is empty", row->name);
    ck_assert_msg(row->argument || !(row->values || row->words), "%s takes nothing", row->name);
    ck_assert_msg(row->take != option_set_choice || row->values, "%s has nothing to choose from", row->name);
    ck_assert_msg(row->take != option_set_number || (row->low < row->high && row->unit), "%s", row->name);
    ck_assert_msg(row->take != option_set_choice || list, "the help of %s does not list what it takes", row->name);
}
END_TEST

/* getopt_long must get each name, letter and value once, and its return value must lead to the row. */
START_TEST(no_option_collides_with_another_of_its_command)
{
    const struct subcommand *command = &commands[_i];
    struct option_lists lists;
    option_lists_init(&lists, command->bit, false);
    ck_assert_int_eq(lists.letters[0], ':');
    for (const char *letter = lists.letters + 1; *letter; letter++) {
        if (*letter == ':')
            continue;
        ck_assert_msg(!strchr(letter + 1, *letter), "-%c of %s is there twice", *letter, command->called);
        const struct option_row *row = option_row_taken(command->bit, *letter);
        ck_assert(row && row->letter == *letter);
        ck_assert_int_eq(letter[1] == ':', row->argument && !row->optional);
    }
    for (const struct option *one = lists.names; one->name; one++) {
        const struct option_row *row = option_row_taken(command->bit, one->val);
        ck_assert(row->commands & command->bit);
        ck_assert(!strcmp(row->name + 2, one->name) || !strcmp(row->also + 2, one->name));
        ck_assert_int_ge(one->val, OPTION_FIRST_VALUE); /* a letter is always smaller */
        for (const struct option *other = one + 1; other->name; other++) {
            ck_assert_msg(strcmp(one->name, other->name) != 0, "--%s of %s is there twice", one->name, command->called);
            ck_assert(one->val != other->val || (row->also && !strcmp(row->also + 2, other->name)));
        }
    }
}
END_TEST

START_TEST(a_list_has_all_options_of_its_command_and_no_others)
{
    const struct subcommand *command = &commands[_i];
    struct option_lists lists;
    size_t names = 0, wanted = 0;
    option_lists_init(&lists, command->bit, command->stops);
    ck_assert_int_eq(lists.letters[0], command->stops ? '+' : ':');
    while (lists.names[names].name)
        names++;
    for (size_t i = 0; i < option_table_count; i++)
        if (option_table[i].commands & command->bit)
            wanted += option_table[i].also ? 2 : 1;
    ck_assert_uint_eq(names, wanted);
    ck_assert(option_row_lettered(command->bit, 'h') && option_row_named(command->bit, "--help"));
}
END_TEST

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

static void check_width(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        ck_assert_msg(length <= HELP_WIDTH, "'%.*s' is too long", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

START_TEST(short_help_begins_with_examples_and_fits_a_screen)
{
    const struct subcommand *command = &commands[_i];
    struct buffer text = {0};
    help_put(&text, command, HELP_SHORT);
    check_width(text.bytes);
    ck_assert_msg(count_lines(text.bytes) <= HELP_LINES, "%zu lines", count_lines(text.bytes));
    if (command->page) {
        ck_assert_int_eq(strncmp(text.bytes, "Examples:\n  ptprofil ", strlen("Examples:\n  ptprofil ")), 0);
        ck_assert_ptr_nonnull(strstr(text.bytes, "--help=all"));
    }
    buffer_fini(&text);
}
END_TEST

/* Writes the beginning of ROW's line in --help, up to its argument. */
static void put_head(struct buffer *head, const struct option_row *row)
{
    const char letter[] = {'-', row->letter, ',', 0};
    buffer_printf(head, "\n  %3s %s%s", row->letter ? letter : "", row->name,
                  row->optional   ? "[="
                  : row->argument ? "="
                                  : "");
}

/* Returns true if COMMAND has a row like ROW. */
static bool is_of(const struct subcommand *command, const struct option_row *row)
{
    for (size_t i = 0; i < option_table_count; i++)
        if (option_table[i].commands & command->bit && !strcmp(option_table[i].name, row->name) &&
            option_table[i].letter == row->letter)
            return true;
    return false;
}

START_TEST(full_help_has_all_options_of_its_command_and_no_others)
{
    const struct subcommand *command = &commands[_i];
    struct buffer text = {0};
    help_put(&text, command, HELP_ALL);
    check_width(text.bytes);
    ck_assert_ptr_null(strstr(text.bytes, "{}"));
    for (size_t i = 0; i < option_table_count; i++) {
        struct buffer head = {0};
        put_head(&head, &option_table[i]);
        bool found = strstr(text.bytes, head.bytes) != NULL;
        ck_assert_msg(found == is_of(command, &option_table[i]), "%s of %s", option_table[i].name, command->called);
        buffer_fini(&head);
    }
    for (const struct report_format *format = report_formats; format->name && command->bit & 3; format++)
        ck_assert_msg(strstr(text.bytes, format->name), "no '%s'", format->name);
    ck_assert(command->bit != COMMAND_RECORD || (strstr(text.bytes, "1 to 20000") && strstr(text.bytes, "125 if")));
    buffer_fini(&text);
}
END_TEST

START_TEST(the_list_for_scripts_has_five_fields)
{
    const struct subcommand *command = &commands[_i];
    struct buffer text = {0};
    size_t lines = 0;
    help_put(&text, command, HELP_LIST);
    for (char *line = strtok(text.bytes, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        size_t tabs = 0;
        for (const char *tab = line; (tab = strchr(tab, '\t')); tab++) {
            ck_assert_msg(tab[1] && tab[1] != '\t', "a field of '%s' is empty", line);
            tabs++;
        }
        ck_assert_msg(tabs == 4, "%s", line);
        ck_assert_msg(*line == '-' || command == commands, "%s", line);
    }
    ck_assert_uint_gt(lines, 0);
    buffer_fini(&text);
}
END_TEST

/* An option_set_choice stores the index of the word, so words must be in the order of the enum. */
START_TEST(by_lists_its_enum)
{
    struct buffer text = {0};
    for (enum report_by by = 0; report_by_name(by); by++)
        buffer_printf(&text, "%s%s", by ? " " : "", report_by_name(by));
    ck_assert_str_eq(option_row_named(COMMAND_REPORT, "--by")->values, text.bytes);
    buffer_fini(&text);
}
END_TEST

START_TEST(list_of_values)
{
    struct buffer text = {0};
    const struct option_row rows[] = {{.values = "cpu wall"}, {.words = WORDS_FILES}, {.values = " a  b "}};
    option_list_values(&text, &rows[0], ", ");
    ck_assert_str_eq(text.bytes, "cpu, wall");
    option_list_values(&text, &rows[1], ", ");
    ck_assert_str_eq(text.bytes, "cpu, wall");
    option_list_values(&text, &rows[2], "+");
    ck_assert_str_eq(text.bytes, "cpu, walla+b");
    buffer_fini(&text);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("cli/option_table");
    tcase_add_loop_test(tests, rows_are_whole, 0, (int)option_table_count);
    tcase_add_loop_test(tests, no_option_collides_with_another_of_its_command, 0, COMMANDS);
    tcase_add_loop_test(tests, a_list_has_all_options_of_its_command_and_no_others, 0, COMMANDS);
    tcase_add_loop_test(tests, short_help_begins_with_examples_and_fits_a_screen, 0, COMMANDS);
    tcase_add_loop_test(tests, full_help_has_all_options_of_its_command_and_no_others, 0, COMMANDS);
    tcase_add_loop_test(tests, the_list_for_scripts_has_five_fields, 0, COMMANDS);
    tcase_add_test(tests, by_lists_its_enum);
    tcase_add_test(tests, list_of_values);
    return unit_end();
}
