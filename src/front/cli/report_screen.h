/* SPDX-License-Identifier: MIT
 *
 * `ptprofil report -i`: walks through a stored profile on a full screen, by the keys of `ptprofil top`. */
#ifndef CLI_REPORT_SCREEN_H
#define CLI_REPORT_SCREEN_H

#include <stdbool.h>

struct error;
struct options;
struct profile;

/* Returns true if standard input and output are a terminal with a full screen. */
bool report_screen_is_possible(void);

/* Shows PROFILE until the user leaves. Returns 0, or -errno with ERROR set. */
int report_screen_run(const struct options *options, const struct profile *profile, struct error *error);

#endif
