/* SPDX-License-Identifier: MIT */
#include "front/filter_options.h"

#include <stddef.h>

bool filter_options_has(int option)
{
    return option >= FILTER_FOCUS && option <= FILTER_MODULE;
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
    default:
        return filter_add_name(&filter->modules, name, argument, error);
    }
}

int filter_options_take(struct filter *filter, int option, const char *argument, struct error *error)
{
    static const char *const names[] = {
        [FILTER_FOCUS - FILTER_FOCUS] = "--focus", [FILTER_IGNORE - FILTER_FOCUS] = "--ignore",
        [FILTER_PID - FILTER_FOCUS] = "--pid",     [FILTER_TID - FILTER_FOCUS] = "--tid",
        [FILTER_COMM - FILTER_FOCUS] = "--comm",   [FILTER_MODULE - FILTER_FOCUS] = "--module",
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
