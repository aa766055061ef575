/* SPDX-License-Identifier: MIT
 *
 * Reading profiles in whatever form they have: stored ones, and the text that `perf script` prints. */
#ifndef STORED_IMPORT_H
#define STORED_IMPORT_H

#include "base/buffer.h"
#include "base/error.h"
#include "profile/builder.h"

/* Adds the profile that FD holds, from where it stands on, to INTO; compressed or not. NOTE is set to what was passed
 * over or had to be guessed, a sentence that the file's name begins, or to nothing; it may be NULL. Returns 0, or
 * -errno with ERROR set as stored_take does; also -E2BIG if the file is larger than is read, and what reading met. */
int import_read(struct builder *into, int fd, struct buffer *note, struct error *error);

#endif
