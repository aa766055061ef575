/* SPDX-License-Identifier: MIT */
#include "cli/verdict.h"

#include "text/say.h"

#include <errno.h>

/* Returns 1 if BUDGET is exceeded, else 0, or -ENOMEM. */
static int say_one(const struct budget *budget, const struct profile *profile, const struct profile *base)
{
    struct buffer why = {0};
    enum budget_verdict verdict = BUDGET_KEPT;
    int result = budget_check(budget, profile, base, &verdict, &why);
    if (!result && verdict != BUDGET_KEPT)
        say_line(stderr, "%s%s", why.bytes, verdict == BUDGET_UNUSED ? " (no function matches)" : "");
    buffer_fini(&why);
    return result < 0 ? result : verdict == BUDGET_EXCEEDED;
}

int verdict_say(const struct budgets *budgets, const struct profile *profile, const struct profile *base,
                struct error *error)
{
    int exceeded = 0;
    for (size_t i = 0; i < budgets->count; i++) {
        int one = say_one(&budgets->items[i], profile, base);
        if (one < 0)
            return error_set(error, ENOMEM, "out of memory while %s was looked at", budgets->items[i].option);
        exceeded += one;
    }
    return exceeded;
}
