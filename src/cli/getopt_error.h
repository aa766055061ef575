/* SPDX-License-Identifier: MIT
 *
 * What is wrong with an option that getopt_long(3) refused, and what may have been meant. */
#ifndef CLI_GETOPT_ERROR_H
#define CLI_GETOPT_ERROR_H

#include "base/error.h"

#include <getopt.h>
#include <stddef.h>

/* The options of a command. */
struct getopt_set {
    const char *command, *short_options;
    const struct option *long_options; /* ended by one without a name */
};

/* getopt_long, told by a ':' to report what is missing, returned OPTION (':' or '?') for ARGV and SET. OTHER are the
 * options of another command, whose names may have been taken for SET's. Returns -EINVAL with ERROR set. */
int getopt_error(int option, char **argv, const struct getopt_set *set, const struct getopt_set *other,
                 struct error *error);

#endif
