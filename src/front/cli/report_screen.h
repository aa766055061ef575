/* SPDX-License-Identifier: MIT
 *
 * `ptprofil report -i`: walks through a stored profile on a full screen, by the keys of `ptprofil top`. */
#ifndef CLI_REPORT_SCREEN_H
#define CLI_REPORT_SCREEN_H

struct error;
struct options;
struct profile;

/* Shows PROFILE until the user leaves. Returns 0, or -errno with ERROR set: -ENOTTY if there is no such screen. */
int report_screen_run(const struct options *options, const struct profile *profile, struct error *error);

#endif
