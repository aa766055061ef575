/* SPDX-License-Identifier: MIT
 *
 * A progress line on the terminal: sampling time while running processes are profiled, and then reading of names. */
#ifndef SESSION_PROGRESS_H
#define SESSION_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct record;
struct session_options;

struct progress {
    bool wanted, shown;
    uint64_t began_ns, next_ns; /* monotonic */
    uint64_t duration_ns;       /* 0: unlimited */
};

/* Begins. The line appears only if standard error is a terminal that can erase it, and not with --quiet. */
void progress_begin(struct progress *progress, const struct session_options *options);

/* Returns the milliseconds until the next update, for poll(2); -1: never. */
int progress_wait_ms(const struct progress *progress);

/* Shows the line if it is due: SAMPLES taken, and the CPU time in RECORD so far. */
void progress_show(struct progress *progress, uint64_t samples, const struct record *record);

/* Shows that names are being read from the file PATH, and that DONE of COUNT places are named, unless the line was just
 * updated. */
void progress_names(struct progress *progress, const char *path, size_t done, size_t count);

/* Erases it. */
void progress_end(struct progress *progress);

/* Writes the line for ELAPSED_NS of DURATION_NS (0: unlimited), in at most WIDTH columns, to TEXT. */
void progress_line(char *text, size_t width, uint64_t elapsed_ns, uint64_t duration_ns, uint64_t samples,
                   uint64_t cpu_ns);

/* Like progress_line, for names. Appends to TEXT, with a cleaned PATH. */
void progress_names_line(struct buffer *text, size_t width, const char *path, size_t done, size_t count, bool utf8);

#endif
