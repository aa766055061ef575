/* SPDX-License-Identifier: MIT
 *
 * Internal interface between the files of a session. */
#ifndef SESSION_SESSION_PARTS_H
#define SESSION_SESSION_PARTS_H

#include <stdint.h>
#include <sys/types.h>

struct error;
struct session;

/* Sends the tracer a command of TYPE for process PID (0: none). */
void session_command_tracer(struct session *session, uint32_t type, pid_t pid);

/* Waits for the tracer's answer. Returns it: 0 or -errno; -ECHILD if the tracer has died. */
int session_tracer_answer(struct session *session);

/* Ends the tracer, which has not closed, and undoes its changes. */
void session_end_tracer(struct session *session);

/* Starts the time of --duration, if given. Returns 0, or -errno with ERROR set. */
int session_start_duration(struct session *session, struct error *error);

#endif
