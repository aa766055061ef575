/* SPDX-License-Identifier: MIT
 *
 * From the record to the profile that is written. */
#ifndef SESSION_FINISHED_H
#define SESSION_FINISHED_H

#include "session/session.h"

/* Makes the profile of what SESSION has recorded, whose command line it takes over, with its quality. Names are put
 * on only now. Returns NULL, with ERROR set, if memory runs out. */
struct profile *finished_profile(struct session *session, struct error *error);

/* In a child, whose record does not change any more, while SESSION goes on in its parent: a profile is to be made of
 * what has been recorded until now. Returns 0 or -ENOMEM. */
int finished_until_now(struct session *session);

#endif
