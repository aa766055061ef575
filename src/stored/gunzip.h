/* SPDX-License-Identifier: MIT
 *
 * Files that may be compressed by gzip. */
#ifndef STORED_GUNZIP_H
#define STORED_GUNZIP_H

#include "base/buffer.h"
#include "base/error.h"

/* Reads what FD holds from where it stands to its end, unpacked if it is compressed, and replaces the content
 * of BYTES. Returns 0, or -errno with ERROR set, whose text does not name the file: -E2BIG if there is more
 * than LIMIT, -EBADMSG if it is damaged, -ENOMEM, or what reading met. */
int gunzip_read(struct buffer *bytes, int fd, size_t limit, struct error *error);

#endif
