/* SPDX-License-Identifier: MIT
 *
 * The heading of a table for people. */
#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include "common/base/buffer.h"
#include "profile/report/report.h"

/* Appends the command, key figures for reading the table, the options that chose the samples, and an empty line. */
void head_put(struct buffer *out, const struct profile *profile, const struct report_options *options);

/* Returns true if waiting threads were sampled, in PROFILE or in the base of a comparison. */
bool head_is_wall(const struct profile *profile, const struct report_options *options);

#endif
