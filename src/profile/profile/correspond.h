/* SPDX-License-Identifier: MIT
 *
 * Compares two builds of one program: which modules correspond. */
#ifndef PROFILE_CORRESPOND_H
#define PROFILE_CORRESPOND_H

#include <stdbool.h>

struct buffer;
struct profile;

/* Returns true if modules with these names can be versions of one module. Such names differ only in numbers (with dots,
 * dashes and underscores) at the end, or before or after ".so". Examples: libfoo.so.1.2 and libfoo.so.1.3, app and
 * app2, but not libfoo.so and libbar.so. */
bool correspond_names(const char *one, const char *other);

/* Renames modules of BASE to the path of the corresponding module of PROFILE, so that comparisons find them equal. Also
 * renames processes and threads named after the program. Only modules that PROFILE does not have are renamed. A module
 * corresponds to one of the same name in another folder, or of another version. If one program remains on each side,
 * these correspond. Appends the pairs with different names to TOLD, separated by commas: "app2 and app". Then calls
 * correspond_functions. Returns 0 or -ENOMEM. */
int correspond(struct profile *base, const struct profile *profile, struct buffer *told);

/* Renames functions of BASE to PROFILE's names. The modules of BASE already have the paths of PROFILE. Two functions
 * without a counterpart correspond if their names without parameters are equal and unique. This covers changed
 * parameters, and functions private to a file that one build inlined everywhere, so that their parameters are unknown.
 * Returns 0 or -ENOMEM. */
int correspond_functions(struct profile *base, const struct profile *profile);

#endif
