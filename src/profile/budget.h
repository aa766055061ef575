/* SPDX-License-Identifier: MIT
 *
 * Budgets: the share of the time that functions may have, or by how much their time may have grown, before ptprofil
 * reports a failure to a script. */
#ifndef PROFILE_BUDGET_H
#define PROFILE_BUDGET_H

#include "base/buffer.h"
#include "base/error.h"
#include "profile/profile.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct budget {
    const char *option, *text; /* as given */
    char *name;                /* the expression for names; owned */
    regex_t pattern;
    bool self;   /* only the innermost frame counts, not every frame of the stack */
    bool change; /* it is the change against a base that counts */
    bool less;   /* less than the limit is wrong, not more */
    double percent;
};

/* Zero it before the first use. */
struct budgets {
    struct budget *items;
    size_t count, room;
};

void budgets_fini(struct budgets *budgets);

/* Adds what TEXT, the argument of OPTION, says: "[self:|total:]REGEX > PERCENT%", or with "<", or without "%". Both
 * must live on. CHANGE: it is about the change against a base. Returns 0, or -EINVAL or -ENOMEM with ERROR set. */
int budgets_add(struct budgets *budgets, const char *option, const char *text, bool change, struct error *error);

/* True if one of BUDGETS is about a change. */
bool budgets_need_base(const struct budgets *budgets);

/* What a budget says of a profile. */
enum budget_verdict { BUDGET_KEPT, BUDGET_EXCEEDED, BUDGET_UNUSED /* kept, as no function matches */ };

/* Holds PROFILE, and BASE where the budget is about a change, to BUDGET. Appends to WHY a sentence without its end,
 * which begins with the option; of a budget that is kept, too. *VERDICT is set. Returns 0 or -ENOMEM. */
int budget_check(const struct budget *budget, const struct profile *profile, const struct profile *base,
                 enum budget_verdict *verdict, struct buffer *why);

#endif
