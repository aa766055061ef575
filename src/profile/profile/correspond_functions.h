/* SPDX-License-Identifier: MIT
 *
 * Compares two builds of one program: which functions correspond. */
#ifndef PROFILE_CORRESPOND_FUNCTIONS_H
#define PROFILE_CORRESPOND_FUNCTIONS_H

#include "profile/profile/profile.h"

/* Renames functions of BASE to PROFILE's names. The modules of BASE already have the paths of PROFILE. Two functions
 * without a counterpart correspond if their names without parameters are equal and unique. This covers changed
 * parameters, and functions private to a file that one build inlined everywhere, so that their parameters are unknown.
 * Returns 0 or -ENOMEM. */
int correspond_functions(struct profile *base, const struct profile *profile);

#endif
