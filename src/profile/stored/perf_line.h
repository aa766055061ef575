/* SPDX-License-Identifier: MIT
 *
 * Parses the lines of the text that `perf script` prints. Pure. Results point into the line and are not
 * 0-terminated. */
#ifndef STORED_PERF_LINE_H
#define STORED_PERF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Names in ptprofil's own text: the object of a system call, the object of an inlined function, and the events. */
#define PERF_KERNEL "[kernel.kallsyms]"
#define PERF_INLINED "inlined"
#define PERF_CPU_CLOCK "cpu-clock"
#define PERF_WALL_CLOCK "wall-clock"

struct perf_text {
    const char *at;
    size_t length;
};

/* The first line of an event: "COMM [PID/]TID [CPU] SECONDS: [PERIOD] EVENT: [...]". It does not begin with a tab,
 * unlike frames. */
struct perf_head {
    struct perf_text comm;
    pid_t pid, tid; /* a missing pid is set to tid */
    uint64_t time_ns;
    uint64_t period; /* 0 if missing */
    bool told;
    struct perf_text event; /* without its last colon */
    struct perf_text rest;  /* the rest of the line, without blanks around it */
};

/* "ADDRESS NAME[+0xOFFSET] (OBJECT)" */
struct perf_frame {
    uint64_t address;
    struct perf_text name, object;
};

/* Takes the next line from TEXT, without its end and trailing blanks. Returns false at the end of TEXT. */
bool perf_line_next(struct perf_text *text, struct perf_text *line);

/* Parse LINE. Return false if it is not such a line; then *HEAD or *FRAME is undefined. */
bool perf_line_head(struct perf_text line, struct perf_head *head);
bool perf_line_frame(struct perf_text line, struct perf_frame *frame);

/* Returns true if TEXT equals WHAT. */
bool perf_text_is(struct perf_text text, const char *what);

#endif
