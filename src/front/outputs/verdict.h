/* SPDX-License-Identifier: MIT
 *
 * Checks a profile against the budgets of --fail-if and --fail-if-diff. */
#ifndef OUTPUTS_VERDICT_H
#define OUTPUTS_VERDICT_H

struct profile;

struct budgets;
struct error;
struct output_options;

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

/* If OPTIONS have a filter, reports that it matches nothing in WHERE ("the profile"). Puts BEFORE and AFTER around the
 * message. Returns the exit status: 1, or VERDICT_UNFIT if budgets are a test; 0 without a filter. */
int verdict_nothing_fits(const struct output_options *options, const char *before, const char *where,
                         const char *after);

/* Reports if the filter of OPTIONS matches nothing in PROFILE, or cannot be evaluated. Then the whole profile is
 * written, because the run may not be repeatable. Returns 0, or an exit status. */
int verdict_of_filter(const struct output_options *options, struct profile *profile);

/* Reports options whose functions PROFILE, called WHERE, does not contain. Returns 0, or an exit status. */
int verdict_of_functions(const struct output_options *options, const char *where, const struct profile *profile);

#endif
