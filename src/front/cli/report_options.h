/* SPDX-License-Identifier: MIT
 *
 * Options that only `ptprofil report` has. */
#ifndef CLI_REPORT_OPTIONS_H
#define CLI_REPORT_OPTIONS_H

#include "front/cli/options.h"

/* See option_taker and struct subcommand. */
option_taker report_take_diff, report_take_fail_if_diff;
int report_options_finish(struct options *options, int argc, char **argv, struct error *error);

#endif
