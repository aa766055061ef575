/* SPDX-License-Identifier: MIT
 *
 * `ptprofil record`, the default: profiles a command or running processes. */
#ifndef CLI_RECORD_COMMAND_H
#define CLI_RECORD_COMMAND_H

#include <stddef.h>

struct options;

/* Runs it with OPTIONS. TITLE and TITLE_SIZE: see tracer_start. Returns an exit status, or ends as the command did. */
int record_command_run(const struct options *options, char *title, size_t title_size);

#endif
