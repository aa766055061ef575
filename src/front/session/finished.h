/* SPDX-License-Identifier: MIT
 *
 * Turns the record into the profile that is written. */
#ifndef SESSION_FINISHED_H
#define SESSION_FINISHED_H

struct error;
struct session;
struct session_since;

/* Makes the profile of SESSION's recording, with its quality, and moves the command line into it. Looks up names here.
 * Returns NULL, with ERROR set, if memory runs out. */
struct profile *finished_profile(struct session *session, struct error *error);

/* Sets *NOW to SESSION's counts so far, at the end of an interval. They become session.since for the next interval. */
void finished_count(const struct session *session, struct session_since *now);

/* Call it in a forked child; SESSION continues in its parent, but the child's record no longer changes. Prepares for
 * making a profile of the time until NOW, as set by finished_count before the fork. Returns 0 or -ENOMEM. */
int finished_until(struct session *session, const struct session_since *now);

/* Call it in such a child if nobody waits for it: closes everything for whose end others wait, lowers its priority to
 * NICENESS (0: keeps it), and makes it the first process to be killed if memory runs out. */
void finished_settle(const struct session *session, int niceness);

#endif
