/* SPDX-License-Identifier: MIT
 *
 * Waits for the tracer's answer to a command. A tracee may block the tracer, so that no answer comes. */
#ifndef SESSION_ANSWER_H
#define SESSION_ANSWER_H

#include <stdbool.h>
#include <sys/types.h>

struct channel;
struct jobcontrol;

/* Waits for the answer of TRACER to COMMAND_LAUNCH or COMMAND_ATTACH, and returns it: 0 or -errno; -ECHILD if the
 * tracer died. If no command of the user runs yet, also reads signals, which may set *ASKED_TO_END. Then returns -EINTR
 * if no answer comes soon. */
int answer_await(const struct channel *channel, struct jobcontrol *jobcontrol, pid_t tracer, bool *asked_to_end);

#endif
