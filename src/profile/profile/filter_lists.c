/* SPDX-License-Identifier: MIT
 *
 * The lists of a filter, one for each option, and their memory. */
#include "profile/profile/filter_parts.h"

#include "common/base/array.h"
#include "common/base/buffer.h"
#include "common/base/error.h"
#include "common/base/pattern.h"
#include "common/model/rank.h"
#include "profile/profile/filter.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *option;
    unsigned bit;
} lists[] = {
    {"--focus=", FOCUS}, {"--ignore=", IGNORE},  {"--pid=", PIDS},        {"--tid=", TIDS},
    {"--comm=", COMMS},  {"--module=", MODULES}, {"--between=", BETWEEN}, {"--rank=", RANKS},
};

unsigned filter_list_of(const char *asked)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!strncmp(asked, lists[i].option, strlen(lists[i].option)))
            return lists[i].bit;
    return 0;
}

void filter_fini(struct filter *filter)
{
    struct filter_patterns *patterns[] = {&filter->focus, &filter->ignore};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        for (size_t at = 0; at < patterns[i]->count; at++)
            regfree(&patterns[i]->items[at]);
        free(patterns[i]->items);
    }
    free(filter->pids.items);
    free(filter->tids.items);
    free(filter->ranks.items);
    free(filter->comms.items);
    free(filter->modules.items);
    free(filter->between.items);
    for (size_t i = 0; i < filter->asked.count; i++)
        free(filter->asked.items[i]);
    free(filter->asked.items);
    memset(filter, 0, sizeof *filter);
}

int filter_add_numbers(struct filter_numbers *numbers, const char *option, const char *text, struct error *error)
{
    const char *at = text;
    do {
        char *end;
        unsigned long number = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
        if (!number || number > INT_MAX || (*end && *end != ','))
            return error_set(error, EINVAL, "%s: '%s' is not a list of numbers with commas between them", option, text);
        if (!ARRAY_RESERVE_ONE(numbers))
            return error_set(error, ENOMEM, "out of memory");
        numbers->items[numbers->count++] = (pid_t)number;
        at = *end ? end + 1 : NULL;
    } while (at);
    return 0;
}

int filter_add_name(struct filter_names *names, const char *option, const char *name, struct error *error)
{
    if (!*name)
        return error_set(error, EINVAL, "%s: a name is missing", option);
    if (!ARRAY_RESERVE_ONE(names))
        return error_set(error, ENOMEM, "out of memory");
    names->items[names->count++] = name;
    return 0;
}

int filter_add_ranks(struct filter_names *ranks, const char *option, const char *list, struct error *error)
{
    if (!rank_is_list(list))
        return error_set(error, EINVAL, "%s: '%s' is not a list of ranks such as 0,7,100-131", option, list);
    return filter_add_name(ranks, option, list, error);
}

int filter_add_pattern(struct filter_patterns *patterns, const char *option, const char *text, struct error *error)
{
    if (!ARRAY_RESERVE_ONE(patterns))
        return error_set(error, ENOMEM, "out of memory");
    int result = pattern_compile(&patterns->items[patterns->count], option, text, false, error);
    patterns->count += !result;
    return result;
}

int filter_note(struct filter *filter, const char *option, const char *text, struct error *error)
{
    struct buffer note = {0};
    size_t place = filter->asked.count;
    buffer_printf(&note, "%s=%s", option, text);
    if (note.failed || !ARRAY_RESERVE_ONE(&filter->asked)) {
        buffer_fini(&note);
        return error_set(error, ENOMEM, "out of memory");
    }
    struct filter_asked *asked = &filter->asked;
    size_t at = asked->count++;
    for (size_t i = 0; i < at; i++)
        if (filter_list_of(asked->items[i]) == filter_list_of(note.bytes))
            place = i + 1;
    memmove(&asked->items[place + 1], &asked->items[place], (at - place) * sizeof *asked->items);
    asked->items[place] = note.bytes;
    return 0;
}

int filter_add_stretch(struct filter_stretches *stretches, struct filter_stretch stretch, struct error *error)
{
    if (!ARRAY_RESERVE_ONE(stretches))
        return error_set(error, ENOMEM, "out of memory");
    stretches->items[stretches->count++] = stretch;
    return 0;
}
