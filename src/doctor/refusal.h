/* SPDX-License-Identifier: MIT
 *
 * Why the kernel refuses, found out by looking, and what to do about it. */
#ifndef DOCTOR_REFUSAL_H
#define DOCTOR_REFUSAL_H

#include "base/buffer.h"
#include "base/error.h"
#include "model/permission.h"

#include <stdbool.h>
#include <sys/types.h>

/* Sets ERROR to why PID, which may have ended, could not be traced, given the tracer's -errno RESULT, and to what to do
 * about it. WHAT: "cannot attach to process 7". Returns RESULT. */
int refusal_explain(pid_t pid, const char *what, int result, struct error *error);

/* Whether PID could be attached to, found out without stopping it. Returns 0, or the -errno that attaching would meet,
 * for refusal_explain. */
int refusal_probe(pid_t pid);

/* Reads what decides about PID, which may be this process, and leaves the error 0. */
void refusal_facts(pid_t pid, struct permission_facts *facts);

/* Returns a text for REASON and what helps; static. NULL if that differs between processes. */
const char *refusal_advice(enum permission_reason reason);

/* True if AppArmor may refuse something to PID, or for it; TEXT, which is emptied first, is then "PROFILE (MODE)". */
bool refusal_confined(pid_t pid, struct buffer *text);

/* Looks whether the kernel lets one process reach another's memory, which everything needs but --stacks=none with
 * --calls=off. Returns 0, or -errno with ERROR set. */
int refusal_check_memory(struct error *error);

#endif
