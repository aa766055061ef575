/* SPDX-License-Identifier: MIT
 *
 * What the parts of a session share among themselves. */
#ifndef SESSION_SESSION_PARTS_H
#define SESSION_SESSION_PARTS_H

#include "session/session.h"

/* Sends the tracer a command of TYPE about process PID; 0: none. */
void session_command_tracer(struct session *session, uint32_t type, pid_t pid);

/* Waits for the tracer's answer. Returns it: 0 or -errno; -ECHILD if the tracer has died. */
int session_tracer_answer(struct session *session);

/* Ends the tracer, which has not closed, and puts back what it had changed. */
void session_end_tracer(struct session *session);

/* Starts the time of --duration, if given. Returns 0, or -errno with ERROR set. */
int session_start_duration(struct session *session, struct error *error);

#endif
