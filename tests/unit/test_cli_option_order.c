/* SPDX-License-Identifier: MIT
 *
 * The order of any two options of a command does not matter. */
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "front/cli/commands.h"
#include "front/cli/options.h"
#include "unit.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 8, MOST_LINES = 16 };

/* An argument for each option with a free argument, and other options that it requires. */
static const struct {
    const char *name, *argument, *needs;
} samples[] = {
    {"--rate", "50", NULL},
    {"--reader-user", "65533", NULL},
    {"--duration", "2.5", NULL},
    {"--every", "10s", "--output=%t.pb.gz"},
    {"--duty", "10s/60s", "--pid=4"},
    {"--push-label", "site=x", "--push=parca+http://h:1"},
    {"--push-headers", "file", "--push=parca+http://h:1"},
    {"--stack-bytes", "4096", NULL},
    {"--delay", "1s", NULL},
    {"--toggle", "USR1", NULL},
    {"--control", "fifo", NULL},
    {"--only-ranks", "0,2", NULL},
    {"--rank", "3", NULL},
    {"--own-cpus", "0-1", NULL},
    {"--max-overhead", "5", NULL},
    {"--max-memory", "64M", NULL},
    {"--output", "-", NULL},
    {"--format", "tree", NULL},
    {"--command-output", "file", NULL},
    {"--interval", "2", NULL},
    {"--rows", "7", NULL},
    {"--min", "3", NULL},
    {"--callers", "a", NULL},
    {"--callees", "b", NULL},
    {"--annotate", "f", "--format=annotate"},
    {"--sysroot", "/", "--annotate=f"},
    {"--focus", "x", NULL},
    {"--ignore", "y", NULL},
    {"--tid", "3", NULL},
    {"--comm", "name", NULL},
    {"--module", "libc.so.6", NULL},
    {"--between", "1s..2s", NULL},
    {"--diff", "base", NULL},
    {"--fail-if", "f > 5%", NULL},
    {"--fail-if-diff", "f > +5%", "--diff=base"},
    {"--semantics", "irix", NULL},
    {"--hz", "200", NULL},
    {"--impose", "pcsample:5", "--impose-output=file"},
    {"--impose-output", "file", "--impose=pcsample:5"},
    {"--pid", "4", NULL},
};

/* Options that end the options, that search the machine for processes, or that this user may not use. */
static bool is_left_out(const struct option_row *row)
{
    static const char *const names[] = {"--help", "--version", "--name", "--cgroup", "--container"};
    for (size_t i = 0; i < UNIT_ROWS(names); i++)
        if (!strcmp(row->name, names[i]))
            return true;
    return !strcmp(row->name, "--reader-user") && geteuid() != 0;
}

/* The words for ROW: its option with an argument, and the required option or NULL. They exist once, so that pointers
 * to them are equal in both orders. */
struct given {
    char *option, *needs;
};

static struct given given_for(const struct option_row *row)
{
    struct buffer option = {0};
    const char *argument = NULL, *needs = NULL;
    for (size_t i = 0; i < UNIT_ROWS(samples); i++)
        if (!strcmp(samples[i].name, row->name)) {
            argument = samples[i].argument;
            needs = samples[i].needs;
        }
    buffer_puts(&option, row->name);
    if (row->take == option_set_choice || (row->argument && !argument && row->values))
        buffer_printf(&option, "=%s", strrchr(row->values, ' ') + 1);
    else if (row->argument)
        ck_assert_msg(argument != NULL, "give %s an argument in this test", row->name);
    if (row->argument && argument)
        buffer_printf(&option, "=%s", argument);
    return (struct given){option.bytes, needs ? strdup(needs) : NULL};
}

static int compare_lines(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Appends the lists of OPTIONS, sorted, because their order is that of the command line. */
static void describe_lists(const struct options *options, struct buffer *text)
{
    char *lines[MOST_LINES];
    size_t count = 0;
    for (size_t i = 0; i < options->output.filter.asked.count; i++)
        lines[count++] = strdup(options->output.filter.asked.items[i]);
    for (size_t i = 0; i < options->output.budgets.count; i++)
        lines[count++] = strdup(options->output.budgets.items[i].text);
    for (size_t i = 0; i < options->output.count; i++) {
        struct buffer line = {0};
        buffer_printf(&line, "%s:%s", options->output.items[i].format->name, options->output.items[i].path);
        lines[count++] = line.bytes;
    }
    for (size_t i = 0; i < options->session.targets.count; i++) {
        struct buffer line = {0};
        buffer_printf(&line, "pid %d", (int)options->session.targets.items[i]);
        lines[count++] = line.bytes;
    }
    for (size_t i = 0; i < options->intervals.push.target_count; i++)
        lines[count++] = strdup(options->intervals.push.targets[i].endpoint);
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++) {
        buffer_printf(text, "%s ", lines[i]);
        free(lines[i]);
    }
}

static void describe_pattern(struct report_pattern *pattern, struct buffer *text)
{
    buffer_printf(text, "%s ", pattern->text ? pattern->text : "-");
    memset(pattern, 0, sizeof *pattern);
}

/* Appends all of OPTIONS, a copy: first its lists, which are then zeroed, then the remaining bytes. */
static void describe(struct options *options, struct buffer *text)
{
    describe_lists(options, text);
    describe_pattern(&options->output.callers, text);
    describe_pattern(&options->output.callees, text);
    describe_pattern(&options->output.annotate, text);
    memset(&options->output.items, 0, sizeof options->output.items);
    memset(&options->intervals.push.targets, 0, sizeof options->intervals.push.targets);
    memset(&options->output.budgets, 0, sizeof options->output.budgets);
    memset(&options->output.filter, 0, sizeof options->output.filter);
    memset(&options->session.targets, 0, sizeof options->session.targets);
    buffer_hex(text, (const uint8_t *)options, sizeof *options);
}

/* Parses COMMAND's line with WORDS, without those that are NULL. Appends its meaning, or that it is refused. */
static void put_meaning(struct buffer *text, const struct subcommand *command, char *const words[4])
{
    static char *argv[MOST_WORDS];
    struct options options;
    struct error error = {0};
    int argc = 0;
    argv[argc++] = (char[]){"ptprofil"};
    argv[argc++] = (char *)(uintptr_t)command->name;
    for (int i = 0; i < 4; i++)
        if (words[i])
            argv[argc++] = words[i];
    argv[argc++] = (char[]){"x"};
    argv[argc] = NULL;
    optind = 0;
    memset(&options, 0, sizeof options);
    if (options_parse(&options, argc, argv, &error) < 0)
        buffer_puts(text, "refused");
    else {
        struct options copy = options;
        describe(&copy, text);
    }
    options_fini(&options);
}

static const unsigned kinds[] = {COMMAND_RECORD, COMMAND_REPORT, COMMAND_TOP};

/* Returns 1 if ONE and OTHER cannot be combined, otherwise 0. */
static int check_pair(const struct subcommand *command, const struct option_row *one, const struct option_row *other)
{
    struct given first = given_for(one), second = given_for(other);
    char *const there[] = {first.option, second.option, first.needs, second.needs};
    char *const back[] = {second.option, first.option, second.needs, first.needs};
    struct buffer meaning = {0}, meaning_back = {0};
    put_meaning(&meaning, command, there);
    put_meaning(&meaning_back, command, back);
    ck_assert_msg(!strcmp(meaning.bytes, meaning_back.bytes), "%s: '%s %s' is not what '%s %s' is", command->called,
                  first.option, second.option, second.option, first.option);
    int refused = !strcmp(meaning.bytes, "refused");
    buffer_fini(&meaning);
    buffer_fini(&meaning_back);
    free(first.option);
    free(first.needs);
    free(second.option);
    free(second.needs);
    return refused;
}

START_TEST(two_options_mean_the_same_in_either_order)
{
    const struct subcommand *command = commands;
    int pairs = 0, refused = 0;
    while (command->bit != kinds[_i])
        command++;
    for (size_t i = 0; i < option_table_count; i++)
        for (size_t j = i + 1; j < option_table_count; j++) {
            const struct option_row *one = &option_table[i], *other = &option_table[j];
            if (!(one->commands & other->commands & command->bit) || is_left_out(one) || is_left_out(other))
                continue;
            refused += check_pair(command, one, other);
            pairs++;
        }
    ck_assert_int_gt(pairs, 100);
    ck_assert_msg(refused < pairs / 3, "%d of %d pairs are refused", refused, pairs);
}
END_TEST

int main(void)
{
    TCase *tests = unit_begin("cli/option_order");
    tcase_add_loop_test(tests, two_options_mean_the_same_in_either_order, 0, (int)UNIT_ROWS(kinds));
    return unit_end();
}
