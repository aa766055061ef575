/* SPDX-License-Identifier: MIT
 *
 * Prepares the profile for the writers: they get only the names and calls that they must show. */
#include "profile/report/report.h"

#include "common/text/names.h"
#include "profile/profile/profile.h"
#include "profile/report/calltree.h"

#include <errno.h>
#include <stdlib.h>

/* A profile whose functions have other names, and that shares everything else with the original. */
struct renamed {
    struct profile profile;
    uint32_t *numbers; /* the names, by function */
};

static int add_names(struct renamed *renamed, const struct profile *profile, struct names *names)
{
    size_t count = profile->function_count;
    renamed->profile = *profile;
    renamed->profile.functions = malloc((count + 1) * sizeof *profile->functions);
    renamed->numbers = malloc((count + 1) * sizeof *renamed->numbers);
    if (!renamed->profile.functions || !renamed->numbers)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct profile_function *function = &profile->functions[i];
        renamed->profile.functions[i] = *function;
        renamed->numbers[i] =
            names_add(names, function->name, names_stay(function->name, function->linkage_name != NULL));
        if (renamed->numbers[i] == HASH_NONE)
            return -ENOMEM;
    }
    return 0;
}

static void set_names(struct renamed *renamed, const struct names *names)
{
    for (size_t i = 0; i < renamed->profile.function_count; i++) {
        struct profile_function *function = &renamed->profile.functions[i];
        function->full_name = function->name;
        function->name = names->items[renamed->numbers[i]].shown;
    }
}

static void renamed_fini(struct renamed *renamed)
{
    free(renamed->profile.functions);
    free(renamed->numbers);
}

static int write_short(const struct report_format *format, const struct profile *profile,
                       const struct report_options *options, FILE *stream)
{
    struct report_options own = *options;
    struct renamed renamed = {0}, base = {0};
    struct names names = {0};
    int result = add_names(&renamed, profile, &names);
    if (!result && options->base)
        result = add_names(&base, options->base, &names);
    if (!result && !names_settle(&names))
        result = -ENOMEM;
    if (!result) {
        set_names(&renamed, &names);
        set_names(&base, &names);
        own.base = options->base ? &base.profile : NULL;
        result = format->write(&renamed.profile, &own, stream);
    }
    renamed_fini(&renamed);
    renamed_fini(&base);
    names_fini(&names);
    return result;
}

static int write_named(const struct report_format *format, const struct profile *profile,
                       const struct report_options *options, FILE *stream)
{
    bool shorten =
        options->names == REPORT_NAMES_OF_FORMAT ? format->short_names : options->names == REPORT_NAMES_SHORT;
    return shorten && !format->binary ? write_short(format, profile, options, stream)
                                      : format->write(profile, options, stream);
}

/* Sets WITHOUT to PROFILE without inlined calls. They share everything except the locations, which the caller frees. */
static int leave_out_inlines(struct profile *without, const struct profile *profile)
{
    *without = *profile;
    without->locations = malloc((profile->location_count + 1) * sizeof *without->locations);
    if (!without->locations)
        return -ENOMEM;
    for (size_t i = 0; i < profile->location_count; i++) {
        struct profile_location *location = &without->locations[i];
        *location = profile->locations[i];
        if (location->line_count > 1) {
            location->line_first += location->line_count - 1;
            location->line_count = 1;
        }
    }
    return 0;
}

int report_write(const struct report_format *format, const struct profile *profile,
                 const struct report_options *options, FILE *stream)
{
    struct profile without = {0}, base = {0};
    struct report_options own = *options;
    if (!options->no_inlines || format->binary)
        return write_named(format, profile, options, stream);
    int result = leave_out_inlines(&without, profile);
    if (!result && options->base)
        result = leave_out_inlines(&base, options->base);
    own.base = options->base ? &base : NULL;
    if (!result)
        result = write_named(format, &without, &own, stream);
    free(without.locations);
    free(base.locations);
    return result;
}

/* A writer that only checks whether options->callers matches anything. */
static int find_callers(const struct profile *profile, const struct report_options *options, FILE *stream)
{
    struct calltree tree;
    (void)stream;
    int result = calltree_init(&tree, profile, true, &options->callers->compiled);
    if (result)
        return result;
    bool found = tree.count > 1; /* the tree has nodes other than its root */
    calltree_fini(&tree);
    return found ? 0 : -ESRCH;
}

int report_find(const struct profile *profile, const struct report_options *options,
                const struct report_pattern *pattern)
{
    static const struct report_format format = {.write = find_callers, .short_names = true};
    struct report_options own = {.names = options->names, .no_inlines = options->no_inlines, .callers = pattern};
    return report_write(&format, profile, &own, NULL);
}
