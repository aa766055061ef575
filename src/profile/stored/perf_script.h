/* SPDX-License-Identifier: MIT
 *
 * Reads the text of `perf script`. It is not trusted. */
#ifndef STORED_PERF_SCRIPT_H
#define STORED_PERF_SCRIPT_H

#include <stdbool.h>

struct buffer;
struct builder;
struct error;

/* Returns true if BYTES are lines of text, and so not a profile in pprof's format. */
bool perf_script_is_text(const struct buffer *bytes);

/* Adds the samples of one event in BYTES to INTO: the first event that counts time, or the first event if none does. If
 * the event does not count time, each sample represents the median interval between two samples of a thread, and the
 * sum is divided by the periods. Appends to NOTE what was skipped or guessed, as a sentence without subject and end, or
 * nothing. Returns 0, or -errno with ERROR set as stored_read does. */
int perf_script_read(struct builder *into, const struct buffer *bytes, struct buffer *note, struct error *error);

#endif
