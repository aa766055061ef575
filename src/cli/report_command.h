/* SPDX-License-Identifier: MIT
 *
 * `ptprofil report`: stored profiles are read, and written in other forms. */
#ifndef CLI_REPORT_COMMAND_H
#define CLI_REPORT_COMMAND_H

#include "cli/report_options.h"

/* Does what OPTIONS say. Returns 0, how many of the budgets (--fail-if) are exceeded, 1 if no sample was what was
 * asked for, or -errno: ERROR is set then, if not all was told. */
int report_command_run(const struct options *options, struct error *error);

#endif
