/* SPDX-License-Identifier: MIT
 *
 * `ptprofil dump`: prints the stack of every thread of running processes. */
#ifndef CLI_DUMP_COMMAND_H
#define CLI_DUMP_COMMAND_H

#include <stddef.h>

struct options;

/* Does what OPTIONS ask for. TITLE, TITLE_SIZE: see tracer_start. Returns an exit status. */
int dump_command_run(const struct options *options, char *title, size_t title_size);

#endif
