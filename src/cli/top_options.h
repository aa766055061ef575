/* SPDX-License-Identifier: MIT
 *
 * The command line of `ptprofil top`. */
#ifndef CLI_TOP_OPTIONS_H
#define CLI_TOP_OPTIONS_H

#include "cli/options.h"

/* Reads ARGV, whose first is the name of the subcommand, into OPTIONS, which is what options_begin makes it. Returns 0,
 * or -EINVAL or -ENOMEM with ERROR set. */
int top_options_parse(struct options *options, int argc, char **argv, struct error *error);

#endif
