/* SPDX-License-Identifier: MIT
 *
 * Finds out why the kernel refuses to trace, and what the user can do. */
#ifndef DOCTOR_REFUSAL_H
#define DOCTOR_REFUSAL_H

#include "common/model/permission.h"

#include <stdbool.h>
#include <sys/types.h>

struct buffer;
struct error;

/* Sets ERROR to the reason why PID, which may have ended, could not be traced, and to what the user can do. WHAT: for
 * example "cannot attach to process 7". RESULT: the tracer's -errno. Returns RESULT. */
int refusal_explain(pid_t pid, const char *what, int result, struct error *error);

/* Finds out, without stopping PID, whether attaching to it would work. Returns 0, or the -errno that attaching would
 * give, for refusal_explain. */
int refusal_probe(pid_t pid);

/* Reads the facts that decide about PID, which may be this process. Leaves the error in FACTS at 0. */
void refusal_facts(pid_t pid, struct permission_facts *facts);

/* Returns a static text that explains REASON and what helps, or NULL if that differs between processes. */
const char *refusal_advice(enum permission_reason reason);

/* Returns true if AppArmor may refuse access to or by PID. TEXT, which is emptied first, is then "PROFILE (MODE)". */
bool refusal_confined(pid_t pid, struct buffer *text);

/* Returns the advice for a system without ptrace(). */
const char *refusal_without_ptrace(void);

/* Checks that one process may reach another's memory, which everything except --stacks=none with --calls=off needs.
 * Returns 0, or -errno with ERROR set. */
int refusal_check_memory(struct error *error);

#endif
