/* SPDX-License-Identifier: MIT
 *
 * Examines a text of `perf script`: chooses the event to take, and finds what its samples represent and the names of
 * its processes. */
#ifndef STORED_PERF_SURVEY_H
#define STORED_PERF_SURVEY_H

#include "common/base/hash.h"
#include "common/base/quantile.h"
#include "profile/stored/perf_line.h"

struct perf_id {
    pid_t id;
    uint64_t last_ns;      /* of thread ID; 0: none yet */
    struct perf_text comm; /* for process ID: name of its first thread, or of another thread; or empty */
    bool first;
};

struct perf_survey {
    struct perf_text event;     /* empty: no event */
    bool clock, wall;           /* its periods are nanoseconds; waiting threads are included */
    uint64_t samples, periods;  /* of the event; a missing period counts as 1 */
    uint64_t others;            /* samples of other events */
    uint64_t first_ns, last_ns; /* its times */
    struct quantile between;    /* median interval between two samples of a thread */
    struct perf_text command;   /* perf's own command line, or empty */
    struct perf_id *items;
    size_t count, room;
    struct hash index;
};

/* Fills SURVEY, which points into TEXT and may be uninitialised. Returns false if memory runs out. Call
 * perf_survey_fini in either case. */
bool perf_survey_make(struct perf_survey *survey, struct perf_text text);
void perf_survey_fini(struct perf_survey *survey);

/* Returns true if HEAD belongs to a sample that is taken. */
bool perf_survey_has(const struct perf_survey *survey, const struct perf_head *head);

/* Returns the name of process PID, which must have a sample. */
struct perf_text perf_survey_comm(const struct perf_survey *survey, pid_t pid);

#endif
