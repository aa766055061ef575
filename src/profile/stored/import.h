/* SPDX-License-Identifier: MIT
 *
 * Reads profiles in any supported form: stored profiles, and the text of `perf script`. */
#ifndef STORED_IMPORT_H
#define STORED_IMPORT_H

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "profile/profile/builder.h"

/* Adds the profile in FD, from its current position on, to INTO. It may be compressed. Sets NOTE, which may be NULL, to
 * a sentence about what was skipped or guessed, without its subject, the file's name; or to nothing. Returns 0, or
 * -errno with ERROR set as stored_take does; also -E2BIG if the file is too large, or an error of reading. */
int import_read(struct builder *into, int fd, struct buffer *note, struct error *error);

#endif
