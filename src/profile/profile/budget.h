/* SPDX-License-Identifier: MIT
 *
 * Budgets: limits for the share of time in functions, or for its growth. ptprofil reports to a script if one is
 * exceeded. */
#ifndef PROFILE_BUDGET_H
#define PROFILE_BUDGET_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;
struct profile;

struct budget {
    const char *option, *text; /* as given */
    char *name;                /* the expression for names, as given; owned */
    regex_t pattern;
    bool self;   /* only the innermost frame counts; otherwise every frame of the stack */
    bool change; /* the change against a base counts */
    bool less;   /* a value below the limit is wrong, instead of one above */
    double percent;
};

/* Zero it before the first use. */
struct budgets {
    struct budget *items;
    size_t count, room;
};

void budgets_fini(struct budgets *budgets);

/* Adds the budget TEXT, given as argument of OPTION: "[self:|total:]REGEX > PERCENT%", or with "<", or without "%".
 * TEXT and OPTION must outlive BUDGETS. CHANGE: it limits the change against a base. Returns 0, or -EINVAL or -ENOMEM
 * with ERROR set. */
int budgets_add(struct budgets *budgets, const char *option, const char *text, bool change, struct error *error);

/* Returns true if one of BUDGETS limits a change. */
bool budgets_need_base(const struct budgets *budgets);

/* The result of checking a budget. */
enum budget_verdict { BUDGET_KEPT, BUDGET_EXCEEDED, BUDGET_UNUSED /* kept, because no function matches */ };

/* Checks BUDGET against PROFILE and, if it limits a change, BASE. Appends a sentence to WHY, without its end, that
 * begins with the option; also if the budget is kept. Sets *VERDICT. Returns 0 or -ENOMEM. */
int budget_check(const struct budget *budget, const struct profile *profile, const struct profile *base,
                 enum budget_verdict *verdict, struct buffer *why);

#endif
