/* SPDX-License-Identifier: MIT
 *
 * Two builds of one program, for comparing them: which modules of the one are those of the other. */
#ifndef PROFILE_CORRESPOND_H
#define PROFILE_CORRESPOND_H

#include "base/buffer.h"
#include "profile/profile.h"

/* True if modules of these names can be versions of one: they differ in nothing but numbers at the end of the name or
 * before or behind ".so", with dots, dashes and underscores between them: libfoo.so.1.2 and libfoo.so.1.3, app and
 * app2, but not libfoo.so and libbar.so. */
bool correspond_names(const char *one, const char *other);

/* Gives each module of BASE that PROFILE does not have the path of the module that corresponds to it, and the processes
 * and threads that are called after the program the name that they have in PROFILE, so that everything that compares
 * the two finds them the same. A module corresponds to one of the same name in another folder, to one whose name is
 * that of another version, and the only program that is left to the only one that is left. Appends to TOLD what was
 * taken for what, with commas between, where names differ: "app2 and app". Functions follow, see
 * profile/correspond_functions.h. Returns 0 or -ENOMEM. */
int correspond(struct profile *base, const struct profile *profile, struct buffer *told);

#endif
