/* SPDX-License-Identifier: MIT
 *
 * Prepares the profile for the writers: they get only the names and calls that they must show. */
#include "profile/report/report.h"

#include "common/base/buffer.h"
#include "common/text/names.h"
#include "profile/profile/profile.h"
#include "profile/report/calltree.h"
#include "profile/report/homonyms.h"

#include <errno.h>
#include <stdlib.h>

/* The names that a format shows: of a profile, and of what it is compared with. */
struct showing {
    struct homonyms views[2];
    uint32_t count; /* of VIEWS */
    bool shorten;
    struct names names;
    struct texts labelled; /* names with labels */
};

static bool add_view(struct showing *showing, const struct profile *profile)
{
    struct homonyms *view = &showing->views[showing->count];
    if (homonyms_init(view, profile) < 0)
        return false;
    showing->count++;
    for (size_t i = 0; i < view->profile.function_count; i++) {
        const struct profile_function *function = &view->profile.functions[i];
        bool fixed = !showing->shorten || names_stay(function->name, function->linkage_name != NULL);
        view->names[i] = names_add(&showing->names, function->name, fixed);
        if (view->names[i] == HASH_NONE)
            return false;
    }
    return true;
}

/* Returns NAME with LABEL, or NULL if memory runs out. */
static const char *labelled(struct showing *showing, const char *name, const char *label)
{
    struct buffer text = {0};
    buffer_printf(&text, "%s (%s)", name, label);
    uint32_t number = text.failed ? HASH_NONE : texts_add(&showing->labelled, text.bytes);
    buffer_fini(&text);
    return number == HASH_NONE ? NULL : showing->labelled.items[number];
}

static bool set_names(struct showing *showing, struct homonyms *view)
{
    for (size_t i = 0; i < view->profile.function_count; i++) {
        struct profile_function *function = &view->profile.functions[i];
        const char *shown = showing->names.items[view->names[i]].shown;
        function->full_name = function->name;
        if (view->labels[i])
            shown = labelled(showing, shown, view->labels[i]);
        if (!shown)
            return false;
        function->name = (char *)(uintptr_t)shown; /* not freed with the view */
    }
    return true;
}

static bool find_names(struct showing *showing, const struct profile *profile, const struct profile *base)
{
    bool found = add_view(showing, profile) && (!base || add_view(showing, base)) &&
                 !homonyms_label(showing->views, showing->count) && names_settle(&showing->names);
    for (uint32_t i = 0; i < showing->count && found; i++)
        found = set_names(showing, &showing->views[i]);
    return found;
}

static int write_named(const struct report_format *format, const struct profile *profile,
                       const struct report_options *options, FILE *stream)
{
    struct report_options own = *options;
    struct showing showing = {.shorten = options->names == REPORT_NAMES_OF_FORMAT
                                             ? format->short_names
                                             : options->names == REPORT_NAMES_SHORT};
    if (format->binary)
        return format->write(profile, options, stream);
    int result = -ENOMEM;
    if (find_names(&showing, profile, options->base)) {
        own.base = options->base ? &showing.views[1].profile : NULL;
        result = format->write(&showing.views[0].profile, &own, stream);
    }
    for (uint32_t i = 0; i < showing.count; i++)
        homonyms_fini(&showing.views[i]);
    names_fini(&showing.names);
    texts_fini(&showing.labelled);
    return result;
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
