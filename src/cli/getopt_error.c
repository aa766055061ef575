/* SPDX-License-Identifier: MIT */
#include "cli/getopt_error.h"

#include "base/buffer.h"
#include "text/nearest.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 32, MOST_OPTIONS = 64 };

static size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* What NAME could be short for, in LIST. Returns how many. */
static unsigned list_meant(const struct getopt_set *set, const char *name, struct buffer *list)
{
    unsigned count = 0;
    for (const struct option *known = set->long_options; known->name; known++)
        if (!strncmp(known->name, name, strlen(name)))
            buffer_printf(list, "%s--%s", count++ ? ", " : "", known->name);
    return count;
}

static bool has_option(const struct getopt_set *set, const char *name)
{
    for (const struct option *known = set->long_options; known->name; known++)
        if (!strcmp(known->name, name))
            return true;
    return false;
}

static const char *nearest_option(const struct getopt_set *set, const char *name)
{
    const char *names[MOST_OPTIONS];
    size_t count = 0;
    for (const struct option *known = set->long_options; known->name && count < MOST_OPTIONS; known++)
        names[count++] = known->name;
    return nearest_name(name, names, count);
}

/* GIVEN is the option as it stands in the command line, NAME its name. */
static int long_error(const char *given, const char *name, const struct getopt_set *set, const struct getopt_set *other,
                      struct error *error)
{
    struct buffer list = {0};
    const char *near = nearest_option(set, name);
    unsigned count = list_meant(set, name, &list);
    if (count > 1)
        error_set(error, EINVAL, "option '%s' is ambiguous: %s", given, list.bytes ? list.bytes : "?");
    else if (count)
        error_set(error, EINVAL, "option '%s': %s takes no argument", given, list.bytes ? list.bytes : "?");
    else if (has_option(other, name))
        error_set(error, EINVAL, "option '--%s' is one of '%s', not of '%s'", name, other->command, set->command);
    else
        error_set(error, EINVAL, "unknown option '%s'%s%s%s '%s --help' lists the options", given,
                  near ? "; did you mean --" : ";", near ? near : "", near ? "?" : "", set->command);
    buffer_fini(&list);
    return -EINVAL;
}

int getopt_error(int option, char **argv, const struct getopt_set *set, const struct getopt_set *other,
                 struct error *error)
{
    const char *given = argv[optind - 1];
    char name[LONGEST] = "";
    if (option == ':')
        return error_set(error, EINVAL, "option '%s' needs an argument; '%s --help' lists the options", given,
                         set->command);
    if (optopt > 0 && optopt <= CHAR_MAX && !strchr(set->short_options, optopt))
        return error_set(error, EINVAL, "unknown option '-%c'; '%s --help' lists the options", optopt, set->command);
    if (strncmp(given, "--", 2) != 0)
        return error_set(error, EINVAL, "unknown option '%s'; '%s --help' lists the options", given, set->command);
    strncat(name, given + 2, least(strcspn(given + 2, "="), sizeof name - 1));
    return long_error(given, name, set, other, error);
}
