/* SPDX-License-Identifier: MIT
 *
 * Looks at processes that run an interpreted language: their user, root directory and working directory. */
#ifndef RECORD_SCRIPT_SOURCES_H
#define RECORD_SCRIPT_SOURCES_H

#include "record/object.h"

#include <sys/types.h>

/* Process PID has functions of the language OBJECT: adds to that whose source files these are. Does nothing if the
 * process has gone. */
void script_sources_learn(struct object *object, pid_t pid);

#endif
