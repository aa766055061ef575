/* SPDX-License-Identifier: MIT
 *
 * Compares two builds of one program: which functions correspond. */
#ifndef PROFILE_CORRESPOND_FUNCTIONS_H
#define PROFILE_CORRESPOND_FUNCTIONS_H

#include "profile/profile.h"

/* Renames functions of BASE, whose modules already have the paths of PROFILE, to PROFILE's names. A function without
 * a counterpart corresponds to one of PROFILE without a counterpart if, without their parameters, both names are
 * unique. This covers changed parameters, and functions private to a file that one build inlined everywhere, so that
 * their parameters are unknown. Returns 0 or -ENOMEM. */
int correspond_functions(struct profile *base, const struct profile *profile);

#endif
