/* SPDX-License-Identifier: MIT
 *
 * What the tracer answers to a command, which a process may keep it from. */
#ifndef SESSION_ANSWER_H
#define SESSION_ANSWER_H

#include "session/jobcontrol.h"

#include <stdbool.h>
#include <sys/types.h>

/* Waits for the answer of TRACER to COMMAND_LAUNCH or COMMAND_ATTACH, and returns it: 0 or -errno; -ECHILD if the
 * tracer died. If no command waits for the answer, reads signals in the meantime, which may set *ASKED_TO_END; then
 * returns -EINTR if no answer comes soon. */
int answer_await(const struct channel *channel, struct jobcontrol *jobcontrol, pid_t tracer, bool *asked_to_end);

#endif
