/* SPDX-License-Identifier: MIT
 *
 * What stands above a table for people. */
#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include "base/buffer.h"
#include "report/report.h"

/* Appends what ran, the figures to read the table with, which options chose the samples, and an empty line. */
void head_put(struct buffer *out, const struct profile *profile, const struct report_options *options);

/* True if waiting threads were sampled, in PROFILE or in what it is compared with. */
bool head_is_wall(const struct profile *profile, const struct report_options *options);

#endif
