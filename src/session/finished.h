/* SPDX-License-Identifier: MIT
 *
 * From the record to the profile that is written. */
#ifndef SESSION_FINISHED_H
#define SESSION_FINISHED_H

#include "session/session.h"

/* Makes the profile of SESSION's recording, with its quality, and takes over its command line. Names are looked up
 * here. Returns NULL, with ERROR set, if memory runs out. */
struct profile *finished_profile(struct session *session, struct error *error);

/* In a forked child, whose record no longer changes while SESSION continues in its parent: prepares for making a
 * profile of what was recorded so far. Returns 0 or -ENOMEM. */
int finished_until_now(struct session *session);

#endif
