/* SPDX-License-Identifier: MIT
 *
 * A function of an interpreted language, for annotations. It has no instructions: its items are its sampled lines. */
#ifndef CODE_SCRIPT_H
#define CODE_SCRIPT_H

#include "profile/code/code.h"

/* Returns true if MODULE contains functions of an interpreted language. */
bool script_is_module(const struct profile_module *module);

/* Reads the sources of FUNCTION in such a module, as code_read does. A process named them. So they are opened with the
 * rights of its user, and below its root directory, or below SYSROOT if that is not NULL. Returns 0, or -errno with
 * ERROR set: -EXDEV the root directory is not ours and not known, -EPERM processes of several users named them,
 * -ENOMEM. */
int script_read(struct code *code, const struct profile *profile, uint32_t function, const char *sysroot,
                struct error *error);

#endif
