/* SPDX-License-Identifier: MIT
 *
 * Tells whether a profile keeps the budgets of --fail-if and --fail-if-diff. */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "base/error.h"
#include "profile/profile.h"
#include "profile/budget.h"

/* Says a line on standard error for each of BUDGETS that PROFILE exceeds, or that no function has to do with. BASE:
 * what those about changes compare with, or NULL if none exist. Returns how many are exceeded, or -ENOMEM with ERROR
 * set. */
int verdict_say(const struct budgets *budgets, const struct profile *profile, const struct profile *base,
                struct error *error);

#endif
