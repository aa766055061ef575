/* SPDX-License-Identifier: MIT
 *
 * What is wrong with an option that getopt_long(3) refused. */
#ifndef FRONT_GETOPT_ERROR_H
#define FRONT_GETOPT_ERROR_H

#include "base/error.h"

/* getopt_long, told by a ':' to report what is missing, returned OPTION (':' or '?') for ARGV. SHORT_OPTIONS
 * are those that it was given; COMMAND's --help lists all. Returns -EINVAL with ERROR set. */
int getopt_error(int option, char **argv, const char *short_options, const char *command,
                 struct error *error);

#endif
