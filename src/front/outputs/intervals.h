/* SPDX-License-Identifier: MIT
 *
 * A profile of each interval of the recording (--every). At the end of an interval a forked child, which has the
 * interval's record, looks up names and writes the files with the lowest priority. The record then begins anew, so
 * memory does not grow with time. An interval grows as long as the one before is still being written. */
#ifndef OUTPUTS_INTERVALS_H
#define OUTPUTS_INTERVALS_H

#include "front/naming/name_server.h"
#include "front/outputs/background.h"
#include "front/outputs/output_name.h"
#include "profile/push/push.h"

#include <stdint.h>

struct interval_options;
struct output_options;

/* Processes that serve all intervals. */
struct interval_helpers {
    struct push push;         /* sends to the servers of --push */
    struct name_server names; /* looks up names of files, and keeps them from one interval to the next */
};

#define INTERVAL_HELPERS_NONE                                                                                          \
    {                                                                                                                  \
        .push.sender.socket = -1, .names = NAME_SERVER_NONE                                                            \
    }

struct intervals {
    struct session *session;
    const struct interval_options *options;
    const struct output_options *output;
    struct interval_helpers helpers; /* with the connections of this process */
    struct output_name name;         /* of the interval that is being recorded */
    struct background background;    /* it writes the interval before */
    uint64_t ended, lost;            /* intervals; of these, how many could not be written, */
    struct error failure;            /* and why the first could not be */
};

/* Starts the helpers of OPTIONS, which are borrowed. Call it before the session, while this process is small.
 * MAX_MEMORY: limit of the session in bytes, or 0. Without the process that keeps names, each interval reads them
 * again. Returns 0, or -errno with ERROR set and nothing started. */
int interval_helpers_start(struct interval_helpers *helpers, const struct interval_options *options,
                           uint64_t max_memory, struct error *error);

/* Ends them. HELPERS may be INTERVAL_HELPERS_NONE. */
void interval_helpers_end(struct interval_helpers *helpers);

/* Begins to write a profile of each interval of SESSION to the outputs of OUTPUT, and to send it, with the help of
 * HELPERS. All are borrowed until intervals_end. */
void intervals_begin(struct intervals *intervals, struct session *session, const struct interval_options *options,
                     const struct output_options *output, const struct interval_helpers *helpers);

/* Takes the report of the last interval, and ends the present one, when they are due. */
void intervals_turn(struct intervals *intervals);

/* Writes the last interval, after the end of the session, in this process. Reports intervals that were lost. Returns
 * 0, or -errno if there were any. */
int intervals_end(struct intervals *intervals);

#endif
