/* SPDX-License-Identifier: MIT
 *
 * A progress line on the terminal: of sampling while running processes are profiled, and then of reading names. */
#ifndef SESSION_PROGRESS_H
#define SESSION_PROGRESS_H

#include "base/buffer.h"
#include "session/options.h"
#include "record/record.h"

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool wanted, shown;
    uint64_t began_ns, next_ns; /* monotonic */
    uint64_t duration_ns;       /* 0: no end is known */
};

/* The line appears only if standard error is a terminal that can erase it, and without --quiet. */
void progress_begin(struct progress *progress, const struct session_options *options);

/* Milliseconds until the next update, for poll(2); -1: never. */
int progress_wait_ms(const struct progress *progress);

/* Shows the line if it is time for it: SAMPLES that were taken, and the CPU time in RECORD so far. */
void progress_show(struct progress *progress, uint64_t samples, const struct record *record);

/* Shows that names are read in the file PATH, and that DONE of COUNT places have theirs, unless the line is too new. */
void progress_names(struct progress *progress, const char *path, size_t done, size_t count);

/* Erases it. */
void progress_end(struct progress *progress);

/* The line for ELAPSED_NS of DURATION_NS (0: not known), in at most WIDTH columns, into TEXT. */
void progress_line(char *text, size_t width, uint64_t elapsed_ns, uint64_t duration_ns, uint64_t samples,
                   uint64_t cpu_ns);

/* As progress_line, for names. Appends to TEXT; PATH is cleaned. */
void progress_names_line(struct buffer *text, size_t width, const char *path, size_t done, size_t count, bool utf8);

#endif
