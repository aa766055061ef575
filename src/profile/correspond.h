/* SPDX-License-Identifier: MIT
 *
 * Compares two builds of one program: which modules correspond. */
#ifndef PROFILE_CORRESPOND_H
#define PROFILE_CORRESPOND_H

#include "base/buffer.h"
#include "profile/profile.h"

/* True if modules of these names can be versions of one. Such names differ only in numbers (with dots, dashes and
 * underscores) at the end or before or behind ".so": libfoo.so.1.2 and libfoo.so.1.3, app and app2, but not
 * libfoo.so and libbar.so. */
bool correspond_names(const char *one, const char *other);

/* Renames modules of BASE that PROFILE does not have to the path of the corresponding module, and processes and
 * threads named after the program to their name in PROFILE, so that comparisons find them equal. A module
 * corresponds to one of the same name in another folder or of another version; a single remaining program
 * corresponds to the single remaining one. Appends to TOLD the pairs with different names, separated by commas:
 * "app2 and app". For functions see profile/correspond_functions.h. Returns 0 or -ENOMEM. */
int correspond(struct profile *base, const struct profile *profile, struct buffer *told);

#endif
