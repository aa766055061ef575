/* SPDX-License-Identifier: MIT
 *
 * A profile of each interval of the recording (--every). At the end of an interval a forked child, which has the
 * interval's record, looks up names and writes the files with the lowest priority. The record then begins anew, so
 * memory does not grow with time. An interval grows as long as the one before is still being written. */
#ifndef CLI_INTERVALS_H
#define CLI_INTERVALS_H

#include "common/base/child.h"
#include "common/base/error.h"
#include "front/cli/options.h"
#include "front/cli/output_name.h"
#include "front/record/name_server.h"
#include "front/session/session.h"
#include "profile/push/push.h"

#include <stdbool.h>
#include <stdint.h>

struct intervals {
    struct session *session;
    const struct options *options;
    struct push push;         /* the servers of --push */
    struct name_server names; /* names of files, kept from one interval to the next */
    struct output_name name;  /* of the interval that is being recorded */
    struct child child;       /* it writes the interval before */
    int news;                 /* what it says when it is done, see intervals.c; -1: no child */
    uint64_t began_ns;        /* monotonic time at which the interval began */
    struct session_since now; /* the counts at its end */
    uint64_t ended, lost;     /* intervals; of these, how many could not be written, */
    struct error failure;     /* and why the first could not be */
};

/* Before intervals_prepare. */
#define INTERVALS_NONE                                                                                                 \
    {                                                                                                                  \
        .push.sender.socket = -1, .names = NAME_SERVER_NONE                                                            \
    }

/* Starts the processes that send to servers and look up names, before the session. Returns 0, or -errno with ERROR set.
 */
int intervals_prepare(struct intervals *intervals, const struct options *options, struct error *error);

/* Begins to write a profile of each interval of SESSION to the outputs of OPTIONS, and to send it. Both are borrowed
 * until intervals_end. Does nothing without --every. */
void intervals_begin(struct intervals *intervals, struct session *session, const struct options *options);

/* Writes the last interval, after the end of the session, in this process. Reports intervals that were lost. Returns
 * 0, or -errno if there were any. */
int intervals_end(struct intervals *intervals);

/* Runs RUN, with a copy of OPTIONS and the other arguments, in a process of its own for each period of --duty, until a
 * signal asks for the end or the time of --duration is over. Each profiles the processes that are found then. Returns
 * an exit status, or -errno with ERROR set. */
typedef int intervals_run(const struct options *options, char *title, size_t title_size);
int intervals_repeat(const struct options *options, intervals_run *run, char *title, size_t title_size,
                     struct error *error);

/* Ends what intervals_prepare started, if nothing else was. */
void intervals_abandon(struct intervals *intervals);

#endif
