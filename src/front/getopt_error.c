/* SPDX-License-Identifier: MIT */
#include "front/getopt_error.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>

int getopt_error(int option, char **argv, const char *short_options, const char *command, struct error *error)
{
    if (option == ':')
        return error_set(error, EINVAL, "option '%s' needs an argument; '%s --help' lists the options",
                         argv[optind - 1], command);
    if (optopt > 0 && optopt <= CHAR_MAX && !strchr(short_options, optopt))
        return error_set(error, EINVAL, "unknown option '-%c'; '%s --help' lists the options", optopt,
                         command);
    return error_set(error, EINVAL,
                     "option '%s' is unknown, ambiguous, or takes no argument; '%s --help' lists the options",
                     argv[optind - 1], command);
}
