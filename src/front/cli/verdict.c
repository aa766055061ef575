/* SPDX-License-Identifier: MIT */
#include "front/cli/verdict.h"

#include "common/base/buffer.h"
#include "common/text/say.h"
#include "front/cli/filter_options.h"

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

int verdict_of_filter(const struct options *options, struct profile *profile)
{
    const struct filter *filter = &options->filter;
    struct error error = {0};
    struct buffer unfit = {0};
    bool found = false;
    int result = filter_check(filter, profile, &error);
    if (!result && filter_finds(filter, profile, &found) < 0)
        result = error_set(&error, ENOMEM, "out of memory while the profile was filtered");
    if (!result && !found)
        filter_options_list(filter, &unfit);
    if (result < 0)
        say_line(stderr, "%s; the whole profile is written", error.text);
    else if (unfit.length)
        say_line(stderr, "nothing in the profile fits%s; the whole profile is written", unfit.bytes);
    int status = result < 0 ? VERDICT_FAILED : unfit.length ? verdict_unfit(&options->output.budgets) : 0;
    buffer_fini(&unfit);
    return status;
}

int verdict_of_functions(const struct output_options *options, const struct profile *profile)
{
    struct buffer unfit = {0};
    int result = output_options_unfit(options, profile, &unfit);
    if (result < 0)
        say_line(stderr, "out of memory while functions were looked for");
    else if (unfit.length)
        say_line(stderr, "nothing in the profile fits%s", unfit.bytes);
    int status = result < 0 ? VERDICT_FAILED : unfit.length ? verdict_unfit(&options->budgets) : 0;
    buffer_fini(&unfit);
    return status;
}
