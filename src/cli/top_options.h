/* SPDX-License-Identifier: MIT
 *
 * What the command line of `ptprofil top` has besides the options that others have, too. */
#ifndef CLI_TOP_OPTIONS_H
#define CLI_TOP_OPTIONS_H

#include "cli/options.h"

/* See struct subcommand. */
void top_options_begin(struct options *options);
int top_options_finish(struct options *options, int argc, char **argv, struct error *error);

#endif
