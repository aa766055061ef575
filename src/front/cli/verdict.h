/* SPDX-License-Identifier: MIT
 *
 * Checks a profile against the budgets of --fail-if and --fail-if-diff. */
#ifndef CLI_VERDICT_H
#define CLI_VERDICT_H

#include "common/base/error.h"
#include "front/cli/options.h"
#include "profile/profile/budget.h"
#include "profile/profile/profile.h"

/* Result of all budgets: the exit status. */
enum verdict {
    VERDICT_KEPT = 0,
    VERDICT_EXCEEDED = 1,
    VERDICT_UNFIT = 2,   /* none is exceeded, but no function matches one of them: its name may be mistyped */
    VERDICT_FAILED = 125 /* ptprofil itself failed */
};

/* Prints a line to standard error for each of BUDGETS that PROFILE exceeds, or that matches no function. BASE: base for
 * changes, or NULL. Returns an enum verdict, or -ENOMEM with ERROR set. */
int verdict_say(const struct budgets *budgets, const struct profile *profile, const struct profile *base,
                struct error *error);

/* Returns the exit status if nothing in a profile matches the request: 1, or VERDICT_UNFIT if BUDGETS are a test. */
int verdict_unfit(const struct budgets *budgets);

/* Reports a filter of OPTIONS that matches nothing in PROFILE, or cannot be evaluated. Then the whole profile is
 * written, because the run may not be repeatable. Returns 0, or an exit status. */
int verdict_of_filter(const struct options *options, struct profile *profile);

/* Reports options whose functions PROFILE does not contain. Returns 0, or an exit status. */
int verdict_of_functions(const struct output_options *options, const struct profile *profile);

#endif
