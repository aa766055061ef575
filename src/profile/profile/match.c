/* SPDX-License-Identifier: MIT */
#include "profile/profile/match.h"

#include "common/base/buffer.h"
#include "common/names/short_name.h"
#include "profile/profile/profile.h"
#include "programs/interp/languages.h"

#include <stdlib.h>
#include <string.h>

enum match match_name(const struct matcher *matcher, const char *name)
{
    if (matcher->text && !strcmp(matcher->text, name))
        return MATCH_TEXT;
    for (size_t i = 0; i < matcher->count; i++)
        if (!regexec(&matcher->patterns[i], name, 0, NULL, 0))
            return MATCH_PATTERN;
    return MATCH_NONE;
}

bool match_function(const struct matcher *matcher, const char *full, enum match *best)
{
    struct buffer text = {0};
    *best = match_name(matcher, full);
    if (*best == MATCH_TEXT || (*best && !matcher->text))
        return true;
    short_name_put(&text, full, SHORT_NAME_BARE);
    enum match other = text.failed || !text.length ? MATCH_NONE : match_name(matcher, text.bytes);
    *best = other > *best ? other : *best;
    bool done = !text.failed;
    buffer_fini(&text);
    return done;
}

/* Returns true if a pattern matches all of TEXT. */
static bool match_whole(const struct matcher *matcher, const char *text)
{
    regmatch_t part;
    for (size_t i = 0; i < matcher->count; i++)
        if (!regexec(&matcher->patterns[i], text, 1, &part, 0) && part.rm_so == 0 && !text[part.rm_eo])
            return true;
    return false;
}

/* Marks the functions of the scripts whose file, by name or path, a pattern matches as a whole: 'main' is not main.py.
 */
static void match_scripts(const struct matcher *matcher, const struct profile *profile, unsigned char *matches)
{
    for (size_t i = 0; i < profile->line_count; i++) {
        const struct profile_line *line = &profile->lines[i];
        const char *module = profile->modules[profile->functions[line->function].module].path;
        if (matches[line->function] || line->file == PROFILE_NONE || interp_language_of(module) == INTERP_NONE)
            continue;
        const char *file = profile->files[line->file];
        if (match_whole(matcher, profile_module_name(file)) || match_whole(matcher, file))
            matches[line->function] = MATCH_PATTERN;
    }
}

unsigned char *match_functions(const struct matcher *matcher, const struct profile *profile)
{
    unsigned char *matches = calloc(profile->function_count + 1, sizeof *matches);
    bool done = matches;
    for (size_t i = 0; i < profile->function_count && done && matcher->count; i++) {
        const struct profile_function *function = &profile->functions[i];
        enum match match = MATCH_NONE;
        if (function->linkage_name)
            done = match_function(matcher, function->name, &match);
        else /* the name does not come from a symbol table, so it has no short form */
            match = match_name(matcher, function->name);
        matches[i] = (unsigned char)match;
    }
    if (!done) {
        free(matches);
        return NULL;
    }
    if (matcher->count)
        match_scripts(matcher, profile, matches);
    return matches;
}
