/* SPDX-License-Identifier: MIT
 *
 * Finds user, root directory and working directory of processes that run an interpreted language. */
#ifndef RECORD_SCRIPT_SOURCES_H
#define RECORD_SCRIPT_SOURCES_H

#include "front/record/object.h"

#include <sys/types.h>

/* Notes that process PID has functions of OBJECT, a language: records who owns their source files. Does nothing if the
 * process has gone. */
void script_sources_learn(struct object *object, pid_t pid);

#endif
