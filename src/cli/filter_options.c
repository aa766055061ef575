/* SPDX-License-Identifier: MIT */
#include "cli/filter_options.h"

#include "text/duration.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

bool filter_options_has(int option)
{
    return option >= FILTER_FOCUS && option <= FILTER_BETWEEN;
}

/* LENGTH bytes of TEXT: a time, the text of a mark, or nothing, which is NS. */
static struct filter_moment moment_of(const char *text, size_t length, uint64_t ns)
{
    struct filter_moment moment = {.ns = ns};
    if (length && !duration_parse(text, length, &moment.ns))
        moment = (struct filter_moment){.mark = text, .length = length};
    return moment;
}

/* FROM..TO, either of which may be left out. */
static int add_between(struct filter_stretches *between, const char *name, const char *text, struct error *error)
{
    const char *dots = strstr(text, "..");
    if (!dots || (dots == text && !dots[2]))
        return error_set(
            error, EINVAL,
            "%s: '%s' is not FROM..TO, each a time since the beginning or the text of a mark, as in 3s..5s, 250ms..",
            name, text);
    struct filter_stretch stretch = {moment_of(text, (size_t)(dots - text), 0),
                                     moment_of(dots + 2, strlen(dots + 2), UINT64_MAX)};
    if (!stretch.from.mark && !stretch.to.mark && stretch.from.ns >= stretch.to.ns)
        return error_set(error, EINVAL, "%s: '%s' ends before it begins", name, text);
    return filter_add_stretch(between, stretch, error);
}

static int add(struct filter *filter, int option, const char *name, const char *argument, struct error *error)
{
    switch (option) {
    case FILTER_FOCUS:
        return filter_add_pattern(&filter->focus, name, argument, error);
    case FILTER_IGNORE:
        return filter_add_pattern(&filter->ignore, name, argument, error);
    case FILTER_PID:
        return filter_add_numbers(&filter->pids, name, argument, error);
    case FILTER_TID:
        return filter_add_numbers(&filter->tids, name, argument, error);
    case FILTER_COMM:
        return filter_add_name(&filter->comms, name, argument, error);
    case FILTER_BETWEEN:
        return add_between(&filter->between, name, argument, error);
    default:
        return filter_add_name(&filter->modules, name, argument, error);
    }
}

int filter_options_take(struct filter *filter, int option, const char *argument, struct error *error)
{
    static const char *const names[] = {
        [FILTER_FOCUS - FILTER_FOCUS] = "--focus",     [FILTER_IGNORE - FILTER_FOCUS] = "--ignore",
        [FILTER_PID - FILTER_FOCUS] = "--pid",         [FILTER_TID - FILTER_FOCUS] = "--tid",
        [FILTER_COMM - FILTER_FOCUS] = "--comm",       [FILTER_MODULE - FILTER_FOCUS] = "--module",
        [FILTER_BETWEEN - FILTER_FOCUS] = "--between",
    };
    const char *name = names[option - FILTER_FOCUS];
    int result = add(filter, option, name, argument, error);
    return result < 0 ? result : filter_note(filter, name, argument, error);
}

void filter_options_list(const struct filter *filter, struct buffer *text)
{
    for (size_t i = 0; i < filter->asked.count; i++)
        buffer_printf(text, " %s", filter->asked.items[i]);
}
