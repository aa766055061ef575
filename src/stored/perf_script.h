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

/* Adds the samples of one event in BYTES to INTO: the first event that counts time, or the first event if none does.
 * If the event does not count time, a sample represents the median interval between two samples of a thread. The sum
 * is shared out by the periods. Appends to NOTE what was skipped or guessed, as a sentence without subject and end,
 * or nothing. Returns 0, or -errno with ERROR set as stored_take does. */
int perf_script_take(struct builder *into, const struct buffer *bytes, struct buffer *note, struct error *error);

#endif
