/* SPDX-License-Identifier: MIT */
#include "profile/profile/budget.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/pattern.h"
#include "common/text/text.h"
#include "profile/profile/match.h"
#include "profile/profile/profile.h"
#include "profile/profile/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HIGHEST_PERCENT 1e6

void budgets_fini(struct budgets *budgets)
{
    for (size_t i = 0; i < budgets->count; i++) {
        regfree(&budgets->items[i].pattern);
        free(budgets->items[i].name);
    }
    free(budgets->items);
    memset(budgets, 0, sizeof *budgets);
}

static int malformed(const struct budget *budget, struct error *error)
{
    return error_set(
        error, EINVAL, "%s: '%s' is not of the form '[self:|total:]REGEX > %s%%', for example 'parse > %s%%'",
        budget->option, budget->text, budget->change ? "+PERCENT" : "PERCENT", budget->change ? "+10" : "5");
}

/* Reads "PERCENT", with or without "%" and blanks around it. */
static bool parse_percent(struct budget *budget, const char *text)
{
    char *end;
    text += strspn(text, " ");
    if (strspn(text, budget->change ? "+-.0123456789" : ".0123456789") != strcspn(text, " %"))
        return false;
    budget->percent = strtod(text, &end);
    if (end == text)
        return false;
    end += strspn(end, " ");
    end += *end == '%';
    if (end[strspn(end, " ")])
        return false;
    return budget->change ? budget->percent >= -100 && budget->percent <= HIGHEST_PERCENT
                          : budget->percent >= 0 && budget->percent <= 100;
}

/* Returns the comparison sign. A name may contain one too, so the last one counts. */
static const char *find_sign(const char *text)
{
    const char *sign = NULL;
    for (const char *at = text; (at = strpbrk(at, "<>")); at++)
        sign = at;
    return sign;
}

/* Returns a copy of the text from TEXT to END without the blanks around it. The caller frees it. */
static char *trimmed(const char *text, const char *end)
{
    while (text < end && *text == ' ')
        text++;
    while (end > text && end[-1] == ' ')
        end--;
    return strndup(text, (size_t)(end - text));
}

static int parse(struct budget *budget, struct error *error)
{
    static const char self[] = "self:", total[] = "total:";
    const char *at = budget->text + strspn(budget->text, " "), *sign = find_sign(at);
    if (!sign || !parse_percent(budget, sign + 1))
        return malformed(budget, error);
    budget->less = *sign == '<';
    budget->self = !strncmp(at, self, strlen(self));
    at += budget->self ? strlen(self) : !strncmp(at, total, strlen(total)) ? strlen(total) : 0;
    budget->name = at < sign ? trimmed(at, sign) : strdup("");
    if (!budget->name)
        return error_set(error, ENOMEM, "out of memory");
    return *budget->name ? pattern_compile(&budget->pattern, budget->option, budget->name, false, error)
                         : malformed(budget, error);
}

int budgets_add(struct budgets *budgets, const char *option, const char *text, bool change, struct error *error)
{
    struct budget budget = {.option = option, .text = text, .change = change};
    if (!ARRAY_RESERVE_ONE(budgets))
        return error_set(error, ENOMEM, "out of memory");
    int result = parse(&budget, error);
    if (result < 0)
        free(budget.name);
    else
        budgets->items[budgets->count++] = budget;
    return result;
}

bool budgets_need_base(const struct budgets *budgets)
{
    for (size_t i = 0; i < budgets->count; i++)
        if (budgets->items[i].change)
            return true;
    return false;
}

/* FUNCTIONS: which match. */
static bool stack_matches(const struct matcher *matcher, const struct stack *stack, bool self,
                          const unsigned char *functions)
{
    for (size_t i = 0; i < (self ? 1 : stack->count); i++) {
        const struct stack_frame *frame = &stack->items[i];
        if (frame->function == PROFILE_NONE ? match_name(matcher, frame->name) : functions[frame->function])
            return true;
    }
    return false;
}

/* Sets *NS to the time of PROFILE in functions that match. A sample counts once, however many of its frames match. */
static int time_of(const struct budget *budget, const struct profile *profile, uint64_t *ns)
{
    const struct matcher matcher = {.patterns = &budget->pattern, .count = 1};
    struct stack stack = {0};
    unsigned char *functions = match_functions(&matcher, profile);
    bool ready = functions;
    *ns = 0;
    for (size_t i = 0; i < profile->sample_count && ready; i++) {
        ready = stack_of(&stack, profile, &profile->samples[i]);
        if (ready && stack_matches(&matcher, &stack, budget->self, functions))
            *ns += profile_sample_ns(&profile->samples[i]);
    }
    for (size_t i = 0; i < profile->process_count && match_name(&matcher, profile_unsampled_name(profile)); i++)
        *ns += profile_unsampled_ns(&profile->processes[i]);
    stack_fini(&stack);
    free(functions);
    return ready ? 0 : -ENOMEM;
}

static bool exceeds(const struct budget *budget, double percent)
{
    return budget->less ? percent < budget->percent : percent > budget->percent;
}

static void put_limit(struct buffer *why, const struct budget *budget)
{
    buffer_printf(why, budget->change ? "; the limit is %+g %%" : "; the limit is %g %%", budget->percent);
}

static enum budget_verdict check_share(const struct budget *budget, uint64_t ns, uint64_t whole_ns, struct buffer *why)
{
    double percent = whole_ns ? 100 * (double)ns / (double)whole_ns : 0;
    text_percent(why, ns, whole_ns);
    buffer_printf(why, " %% of the time (");
    text_duration(why, ns);
    buffer_puts(why, ")");
    put_limit(why, budget);
    return exceeds(budget, percent) ? BUDGET_EXCEEDED : BUDGET_KEPT;
}

/* A function that the base does not have has exceeded any limit of growth. */
static enum budget_verdict check_change(const struct budget *budget, uint64_t ns, uint64_t base_ns, struct buffer *why)
{
    double percent = base_ns ? 100 * ((double)ns - (double)base_ns) / (double)base_ns : ns ? 2 * HIGHEST_PERCENT : 0;
    text_duration(why, ns);
    if (base_ns) {
        buffer_puts(why, ", in the base ");
        text_duration(why, base_ns);
        buffer_printf(why, ": %+.1f %%", percent);
    } else
        buffer_puts(why, ", in the base nothing");
    put_limit(why, budget);
    return exceeds(budget, percent) ? BUDGET_EXCEEDED : BUDGET_KEPT;
}

/* Sets *UNUSED if no function on any stack of PROFILE matches. */
static int check_unused(const struct budget *budget, const struct profile *profile, bool *unused)
{
    struct budget any = *budget;
    uint64_t ns = 0;
    any.self = false;
    int result = time_of(&any, profile, &ns);
    *unused = !ns;
    return result;
}

int budget_check(const struct budget *budget, const struct profile *profile, const struct profile *base,
                 enum budget_verdict *verdict, struct buffer *why)
{
    uint64_t ns = 0, base_ns = 0;
    int result = time_of(budget, profile, &ns);
    if (!result && budget->change)
        result = time_of(budget, base, &base_ns);
    if (result)
        return result;
    size_t before = why->length;
    buffer_printf(why, "%s: '%s' %s ", budget->option, budget->name, budget->self ? "itself has" : "has");
    *verdict =
        budget->change ? check_change(budget, ns, base_ns, why) : check_share(budget, ns, profile_ns(profile), why);
    bool unused = false;
    if (!ns && !base_ns && *verdict == BUDGET_KEPT)
        result = check_unused(budget, profile, &unused);
    if (unused) {
        *verdict = BUDGET_UNUSED;
        why->length = before;
        buffer_printf(why, "%s: no function matches '%s'", budget->option, budget->name);
    }
    return result ? result : why->failed ? -ENOMEM : 0;
}
