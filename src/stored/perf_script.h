/* SPDX-License-Identifier: MIT
 *
 * Reading the text that `perf script` prints. Every byte of it may be a stranger's. */
#ifndef STORED_PERF_SCRIPT_H
#define STORED_PERF_SCRIPT_H

#include "base/buffer.h"
#include "base/error.h"
#include "profile/builder.h"

#include <stdbool.h>

/* True if BYTES are lines of text, and so no profile in the format of pprof. */
bool perf_script_is_text(const struct buffer *bytes);

/* Adds the samples of one event in BYTES to INTO: of the first one that counts time, else of the first. Of one that
 * does not count time, a sample stands for as much as is between two samples of a thread, in the median, shared out by
 * their periods. Appends to NOTE, as a sentence without subject and end, what was passed over and what had to be
 * guessed; nothing if there was none. Returns 0, or -errno with ERROR set as stored_take does. */
int perf_script_take(struct builder *into, const struct buffer *bytes, struct buffer *note, struct error *error);

#endif
