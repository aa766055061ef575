/* SPDX-License-Identifier: MIT
 *
 * Fields of comma-separated values (RFC 4180). */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "common/base/buffer.h"

/* Appends TEXT, cleaned as in every format, and quoted if necessary. */
void csv_put_field(struct buffer *out, const char *text);

#endif
