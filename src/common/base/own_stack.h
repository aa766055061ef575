/* SPDX-License-Identifier: MIT
 *
 * A larger stack if the limit (ulimit -s) is too small: libraries that demangle names or read DWARF recurse as deep as
 * their input. */
#ifndef BASE_OWN_STACK_H
#define BASE_OWN_STACK_H

/* Runs RUN(COUNT, ARGUMENTS) and returns its result. Runs it on a stack of 8 MiB if the limit is lower. The limit
 * itself stays, because children inherit it. Call it once in a process. */
int own_stack_run(int (*run)(int count, char **arguments), int count, char **arguments);

#endif
