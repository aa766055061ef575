/* SPDX-License-Identifier: MIT */
#include "cli/verdict.h"

#include "text/say.h"

#include <errno.h>

/* Returns an enum verdict, or -ENOMEM. */
static int say_one(const struct budget *budget, const struct profile *profile, const struct profile *base)
{
    static const enum verdict verdicts[] = {
        [BUDGET_KEPT] = VERDICT_KEPT, [BUDGET_EXCEEDED] = VERDICT_EXCEEDED, [BUDGET_UNUSED] = VERDICT_UNFIT};
    struct buffer why = {0};
    enum budget_verdict verdict = BUDGET_KEPT;
    int result = budget_check(budget, profile, base, &verdict, &why);
    if (!result && verdict != BUDGET_KEPT)
        say_line(stderr, "%s", why.bytes);
    buffer_fini(&why);
    return result < 0 ? result : (int)verdicts[verdict];
}

int verdict_say(const struct budgets *budgets, const struct profile *profile, const struct profile *base,
                struct error *error)
{
    bool exceeded = false, unfit = false;
    for (size_t i = 0; i < budgets->count; i++) {
        int one = say_one(&budgets->items[i], profile, base);
        if (one < 0)
            return error_set(error, ENOMEM, "out of memory while %s was looked at", budgets->items[i].option);
        exceeded |= one == VERDICT_EXCEEDED;
        unfit |= one == VERDICT_UNFIT;
    }
    return exceeded ? VERDICT_EXCEEDED : unfit ? VERDICT_UNFIT : VERDICT_KEPT;
}

int verdict_unfit(const struct budgets *budgets)
{
    return budgets->count ? VERDICT_UNFIT : 1;
}
