/* SPDX-License-Identifier: MIT
 *
 * Checks a profile against the budgets of --fail-if and --fail-if-diff. */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "base/error.h"
#include "cli/options.h"
#include "profile/budget.h"
#include "profile/profile.h"

/* The result of all budgets: the exit status. */
enum verdict {
    VERDICT_KEPT = 0,
    VERDICT_EXCEEDED = 1,
    VERDICT_UNFIT = 2,   /* none is exceeded, but no function has to do with one: its name may be mistyped */
    VERDICT_FAILED = 125 /* ptprofil itself failed */
};

/* Says a line on standard error for each of BUDGETS that PROFILE exceeds, or that no function has to do with. BASE:
 * what those about changes compare with, or NULL if none exist. Returns an enum verdict, or -ENOMEM with ERROR set. */
int verdict_say(const struct budgets *budgets, const struct profile *profile, const struct profile *base,
                struct error *error);

/* The status to end with if nothing in a profile fits what was asked for: 1, or VERDICT_UNFIT where BUDGETS say that it
 * is a test. */
int verdict_unfit(const struct budgets *budgets);

/* Reports a filter of OPTIONS that matches nothing in PROFILE or cannot be evaluated. Then the whole profile is
 * written, because the run may not be repeatable. Returns 0, or a status. */
int verdict_of_filter(const struct options *options, struct profile *profile);

/* Reports options whose functions do not occur in PROFILE. Returns 0, or a status. */
int verdict_of_functions(const struct output_options *options, const struct profile *profile);

#endif
