/* SPDX-License-Identifier: MIT
 *
 * Fields of comma-separated values, as RFC 4180 has them. */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "base/buffer.h"

/* Appends TEXT, cleaned as for every format, and quoted where it must be. */
void csv_put_field(struct buffer *out, const char *text);

#endif
