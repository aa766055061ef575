/* SPDX-License-Identifier: MIT
 *
 * Messages for options that getopt_long(3) refused: the reason, and the replacement. */
#include "front/cli/commands.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/text/nearest.h"
#include "front/cli/other_tools.h"
#include "profile/report/report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 32 };

/* Appends the options that NAME may abbreviate to LIST. Returns their number. */
static unsigned list_meant(const struct option_lists *lists, const char *name, struct buffer *list)
{
    unsigned count = 0;
    for (const struct option *known = lists->names; known->name; known++)
        if (!strncmp(known->name, name, strlen(name)))
            buffer_printf(list, "%s--%s", count++ ? ", " : "", known->name);
    return count;
}

static const char *nearest_option(const struct option_lists *lists, const char *name)
{
    const char *names[2 * OPTION_MOST_ROWS];
    size_t count = 0;
    for (const struct option *known = lists->names; known->name; known++)
        names[count++] = known->name;
    return nearest_name(name, names, count);
}

/* Sets ERROR to ANSWER, or to the commands that have the option ROW. Returns false if both are NULL. */
static bool is_known(const char *given, const char *answer, const struct option_row *row,
                     const struct subcommand *command, struct error *error)
{
    struct buffer others = {0};
    if (answer) {
        error_set(error, EINVAL, "there is no option '%s': %s", given, answer);
        return true;
    }
    if (!row)
        return false;
    commands_list(&others, row->commands);
    error_set(error, EINVAL, "'%s' is an option of %s, not of '%s'", given, others.bytes ? others.bytes : "?",
              command->called);
    buffer_fini(&others);
    return true;
}

static int unknown_option(const char *given, const char *near, const struct subcommand *command, struct error *error)
{
    struct buffer advice = {0};
    buffer_printf(&advice, "'%s --help=all' lists the options", command->called);
    int result = nearest_refuse(error, "unknown option", given, "--", near, &advice);
    buffer_fini(&advice);
    return result;
}

static int short_error(char letter, const struct subcommand *command, struct error *error)
{
    const char given[] = {'-', letter, 0};
    const char *answer = other_tools_option(command->bit, letter, NULL);
    if (is_known(given, answer, option_row_lettered(COMMAND_ALL, letter), command, error))
        return -EINVAL;
    return unknown_option(given, NULL, command, error);
}

/* GIVEN is the word on the command line, NAME its part up to a "=". */
static int long_error(const char *given, const char *name, const struct subcommand *command,
                      const struct option_lists *lists, struct error *error)
{
    struct buffer list = {0}, format = {0};
    const char *bare = name + strlen("--"), *answer = other_tools_option(command->bit, 0, bare);
    unsigned count = list_meant(lists, bare, &list);
    if (!answer && option_row_named(command->bit, "--format") && report_format_by_name(bare))
        buffer_printf(&format, "use --format=%s", bare);
    if (count > 1)
        error_set(error, EINVAL, "option '%s' is ambiguous: %s", given, list.bytes ? list.bytes : "?");
    else if (count)
        error_set(error, EINVAL, "option '%s': %s takes no argument", given, list.bytes ? list.bytes : "?");
    else if (!is_known(name, format.length ? format.bytes : answer, option_row_named(COMMAND_ALL, name), command,
                       error))
        unknown_option(given, nearest_option(lists, bare), command, error);
    buffer_fini(&list);
    buffer_fini(&format);
    return -EINVAL;
}

int getopt_error(int option, char **argv, const struct subcommand *command, const struct option_lists *lists,
                 struct error *error)
{
    const char *given = argv[optind - 1];
    char name[LONGEST];
    if (option == ':')
        return error_set(error, EINVAL, "option '%s' needs an argument; '%s --help=all' lists the options", given,
                         command->called);
    if (optopt > 0 && optopt <= CHAR_MAX && !option_row_lettered(command->bit, (char)optopt))
        return short_error((char)optopt, command, error);
    if (strncmp(given, "--", 2) != 0)
        return unknown_option(given, NULL, command, error);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    return long_error(given, name, command, lists, error);
}
