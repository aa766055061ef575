/* SPDX-License-Identifier: MIT
 *
 * `ptprofil report`: reads stored profiles, and writes them in other forms. */
#ifndef CLI_REPORT_COMMAND_H
#define CLI_REPORT_COMMAND_H

struct error;
struct options;

/* Runs `ptprofil report` with OPTIONS. Returns 0; the number of exceeded budgets (--fail-if); 1 if no sample
 * matched; or -errno, with ERROR set unless everything has been reported. */
int report_command_run(const struct options *options, struct error *error);

#endif
