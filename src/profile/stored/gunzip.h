/* SPDX-License-Identifier: MIT
 *
 * Files that may be compressed by gzip. */
#ifndef STORED_GUNZIP_H
#define STORED_GUNZIP_H

#include "common/base/buffer.h"
#include "common/base/error.h"

/* Reads FD from its current position to its end, decompresses the data if needed, and replaces the content of BYTES.
 * Returns 0, or -errno with ERROR set: -E2BIG if the data is larger than LIMIT bytes, -EBADMSG if it is damaged,
 * -ENOMEM, or an error of reading. The text of ERROR does not name the file. */
int gunzip_read(struct buffer *bytes, int fd, size_t limit, struct error *error);

#endif
