/* SPDX-License-Identifier: MIT
 *
 * Options that select samples, of a new recording or of stored profiles. */
#include "front/cli/options.h"

#include "common/text/duration.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* Parses LENGTH bytes of TEXT: a time, or the text of a mark. An empty text means NS. */
static struct filter_moment moment_of(const char *text, size_t length, uint64_t ns)
{
    struct filter_moment moment = {.ns = ns};
    if (length && !duration_parse(text, length, &moment.ns))
        moment = (struct filter_moment){.mark = text, .length = length};
    return moment;
}

/* Records the option for reports and messages, if RESULT is 0: the argument was added to a list. Returns RESULT or
 * -ENOMEM. */
static int noted(int result, struct options *options, const struct option_given *given)
{
    return result < 0 ? result : filter_note(&options->output.filter, given->row->name, given->text, given->error);
}

/* Takes FROM..TO. One side may be empty. */
int filter_take_between(struct options *options, const struct option_given *given)
{
    const char *dots = strstr(given->text, "..");
    if (!dots || (dots == given->text && !dots[2]))
        return option_refuse(
            given, "'%s' is not FROM..TO, each a time since the beginning or the text of a mark, as in 3s..5s, 250ms..",
            given->text);
    struct filter_stretch stretch = {moment_of(given->text, (size_t)(dots - given->text), 0),
                                     moment_of(dots + 2, strlen(dots + 2), UINT64_MAX)};
    if (!stretch.from.mark && !stretch.to.mark && stretch.from.ns >= stretch.to.ns)
        return option_refuse(given, "'%s' ends before it begins", given->text);
    int result = filter_add_stretch(&options->output.filter.between, stretch, given->error);
    return noted(result, options, given);
}

int filter_take_pattern(struct options *options, const struct option_given *given)
{
    void *list = option_member(options, given->row);
    return noted(filter_add_pattern(list, given->row->name, given->text, given->error), options, given);
}

int filter_take_number(struct options *options, const struct option_given *given)
{
    void *list = option_member(options, given->row);
    return noted(filter_add_numbers(list, given->row->name, given->text, given->error), options, given);
}

int filter_take_name(struct options *options, const struct option_given *given)
{
    void *list = option_member(options, given->row);
    return noted(filter_add_name(list, given->row->name, given->text, given->error), options, given);
}

int filter_take_ranks(struct options *options, const struct option_given *given)
{
    void *list = option_member(options, given->row);
    return noted(filter_add_ranks(list, given->row->name, given->text, given->error), options, given);
}
