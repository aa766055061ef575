/* SPDX-License-Identifier: MIT
 *
 * From the record to the profile that is written. */
#ifndef SESSION_FINISHED_H
#define SESSION_FINISHED_H

#include "session/session.h"

/* Makes the profile of SESSION's recording, with its quality, and takes over its command line. Names are looked up
 * here. Returns NULL, with ERROR set, if memory runs out. */
struct profile *finished_profile(struct session *session, struct error *error);

/* Sets *NOW to what SESSION has counted until now: the end of an interval, and the beginning of the next one, whose
 * session.since it becomes. */
void finished_count(const struct session *session, struct session_since *now);

/* In a forked child, whose record no longer changes while SESSION continues in its parent: prepares for making a
 * profile of what was recorded until NOW, as finished_count set it before the fork. Returns 0 or -ENOMEM. */
int finished_until(struct session *session, const struct session_since *now);

/* In such a child, if nobody waits for it: lets go of everything that others wait for, leaves the CPUs to others by
 * NICENESS, and makes it the first to be killed if memory runs out. */
void finished_settle(const struct session *session, int niceness);

#endif
