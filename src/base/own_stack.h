/* SPDX-License-Identifier: MIT
 *
 * A stack of our own where the limit of stacks (ulimit -s) is too small: libraries that demangle names and read DWARF
 * call themselves as deep as what they read. */
#ifndef BASE_OWN_STACK_H
#define BASE_OWN_STACK_H

/* Returns what RUN(COUNT, ARGUMENTS) does, which runs on a stack of 8 MiB if the limit is less. The limit stays what it
 * is, as children inherit it. Once a process. */
int own_stack_run(int (*run)(int count, char **arguments), int count, char **arguments);

#endif
