/* SPDX-License-Identifier: MIT
 *
 * Options that only `ptprofil top` has. */
#ifndef CLI_TOP_OPTIONS_H
#define CLI_TOP_OPTIONS_H

#include "front/cli/options.h"

/* See struct subcommand. */
void top_options_begin(struct options *options);
int top_options_finish(struct options *options, int argc, char **argv, struct error *error);

#endif
