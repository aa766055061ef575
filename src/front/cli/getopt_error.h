/* SPDX-License-Identifier: MIT
 *
 * Messages for options that getopt_long(3) refused: the reason, and the replacement. */
#ifndef CLI_GETOPT_ERROR_H
#define CLI_GETOPT_ERROR_H

#include "common/base/error.h"
#include "front/cli/commands.h"

/* Explains why getopt_long returned OPTION (':' or '?') for ARGV and LISTS, the options of COMMAND. Returns -EINVAL
 * with ERROR set. */
int getopt_error(int option, char **argv, const struct subcommand *command, const struct option_lists *lists,
                 struct error *error);

#endif
