/* SPDX-License-Identifier: MIT
 *
 * Two builds of one program, for comparing them: which functions of the one are those of the other. */
#ifndef PROFILE_CORRESPOND_FUNCTIONS_H
#define PROFILE_CORRESPOND_FUNCTIONS_H

#include "profile/profile.h"

/* Gives functions of BASE, the modules of which have the paths of PROFILE's already, the names that PROFILE has for
 * them: a function that PROFILE does not have under its name, and that is the only one called so without its
 * parameters, is that of PROFILE which BASE does not have and of which the same is true. So is one whose parameters
 * have changed, and one of a file's own that was inlined everywhere in one build, where nothing tells its parameters.
 * Returns 0 or -ENOMEM. */
int correspond_functions(struct profile *base, const struct profile *profile);

#endif
