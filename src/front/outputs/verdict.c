/* SPDX-License-Identifier: MIT */
#include "front/outputs/verdict.h"

#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/text/say.h"
#include "front/outputs/options.h"

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

static int say_unfit(const struct output_options *options, const char *before, const char *where,
                     const struct buffer *unfit, const char *after)
{
    if (!unfit->length)
        return 0;
    say_line(stderr, "%snothing in %s fits%s%s", before, where, unfit->bytes, after);
    return options->budgets.count ? VERDICT_UNFIT : 1;
}

int verdict_nothing_fits(const struct output_options *options, const char *before, const char *where, const char *after)
{
    const struct filter *filter = &options->filter;
    struct buffer unfit = {0};
    for (size_t i = 0; i < filter->asked.count; i++)
        buffer_printf(&unfit, " %s", filter->asked.items[i]);
    if (filter->modules.count)
        buffer_puts(&unfit, " (the module of a sample's own function, not of its callers)");
    int status = say_unfit(options, before, where, &unfit, after);
    buffer_fini(&unfit);
    return status;
}

int verdict_of_filter(const struct output_options *options, struct profile *profile)
{
    struct error error = {0};
    bool found = false;
    int result = filter_check(&options->filter, profile, &error);
    if (!result && filter_finds(&options->filter, profile, &found) < 0)
        result = error_set(&error, ENOMEM, "out of memory while the profile was filtered");
    if (result < 0)
        say_line(stderr, "%s; the whole profile is written", error.text);
    if (result < 0 || found)
        return result < 0 ? VERDICT_FAILED : 0;
    return verdict_nothing_fits(options, "", "the profile", "; the whole profile is written");
}

int verdict_of_functions(const struct output_options *options, const char *where, const struct profile *profile)
{
    struct buffer unfit = {0};
    int result = output_options_unfit(options, profile, &unfit);
    if (result < 0)
        say_line(stderr, "out of memory while functions were looked for");
    int status = result < 0 ? VERDICT_FAILED : say_unfit(options, "", where, &unfit, "");
    buffer_fini(&unfit);
    return status;
}
