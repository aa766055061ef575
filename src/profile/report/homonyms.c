/* SPDX-License-Identifier: MIT */
#include "profile/report/homonyms.h"

#include "common/base/array.h"
#include "common/base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An inlined function in one of its files. */
struct copy {
    uint32_t function, file, number; /* FUNCTION in FILE is the view's function NUMBER */
};

struct copies {
    struct copy *items;
    size_t count, room;
    struct hash index;
};

static bool is_copy(const void *owner, uint32_t number, const void *key)
{
    const struct copy *copy = &((const struct copies *)owner)->items[number], *wanted = key;
    return copy->function == wanted->function && copy->file == wanted->file;
}

/* Returns true if several compilation units, or only a part of a function, may come from PATH. */
static bool is_included(const char *path)
{
    static const char *const endings[] = {"h",   "hh",  "hpp", "hxx", "H", "inc", "def", "inl",
                                          "ipp", "tcc", "y",   "yy",  "l", "ll",  "td",  "tbl"};
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; i < sizeof endings / sizeof *endings && dot; i++)
        if (!strcmp(dot + 1, endings[i]))
            return true;
    return !dot; /* <vector> */
}

/* Appends a function like number OF, in FILE. Returns its number, or PROFILE_NONE if memory runs out. */
static uint32_t append(struct homonyms *view, uint32_t of, uint32_t file)
{
    struct profile *profile = &view->profile;
    size_t count = profile->function_count, room = view->room;
    if (!array_reserve_((void **)&view->files, &room, count + 1, sizeof *view->files) ||
        !array_reserve_((void **)&profile->functions, &view->room, count + 1, sizeof *profile->functions))
        return PROFILE_NONE;
    profile->functions[count] = profile->functions[of];
    view->files[count] = file;
    return (uint32_t)profile->function_count++;
}

/* Returns the function for the code of FUNCTION in FILE, or PROFILE_NONE if memory runs out. */
static uint32_t function_in(struct homonyms *view, struct copies *copies, uint32_t function, uint32_t file)
{
    if (view->files[function] == PROFILE_NONE)
        view->files[function] = file;
    if (view->files[function] == file)
        return function;
    struct copy copy = {function, file, PROFILE_NONE};
    uint32_t number = HASH_INTERN(copies, hash_number((uint64_t)function << 32 | file), is_copy, copies, &copy);
    if (number == HASH_NONE)
        return PROFILE_NONE;
    if (copies->items[number].number == PROFILE_NONE)
        copies->items[number].number = append(view, function, file);
    return copies->items[number].number;
}

/* Learns the file of LINE's function. A function with code of its own is in the file of its first line, but rather not
 * in an included one. Returns false if memory runs out. */
static bool learn_line(struct homonyms *view, struct copies *copies, struct profile_line *line)
{
    struct profile *profile = &view->profile;
    const struct profile_function *function = &profile->functions[line->function];
    uint32_t *file = &view->files[line->function];
    if (line->file == PROFILE_NONE || !function->linkage_name)
        return true;
    bool included = is_included(profile->files[line->file]);
    if (function->start) {
        if (*file == PROFILE_NONE || (!included && is_included(profile->files[*file])))
            *file = line->file;
        return true;
    }
    uint32_t own = included ? line->function : function_in(view, copies, line->function, line->file);
    if (own != PROFILE_NONE)
        line->function = own;
    return own != PROFILE_NONE;
}

static void *copy_of(const void *items, size_t count, size_t size)
{
    void *copy = malloc((count + 1) * size);
    if (copy && count)
        memcpy(copy, items, count * size);
    return copy;
}

static bool fill(struct homonyms *view, const struct profile *profile)
{
    struct copies copies = {0};
    bool done = view->files && view->profile.functions && view->profile.lines;
    for (size_t i = 0; i < profile->line_count && done; i++)
        done = learn_line(view, &copies, &view->profile.lines[i]);
    free(copies.items);
    hash_fini(&copies.index);
    size_t count = view->profile.function_count + 1;
    view->names = calloc(count, sizeof *view->names);
    view->labels = calloc(count, sizeof *view->labels);
    return done && view->names && view->labels;
}

int homonyms_init(struct homonyms *view, const struct profile *profile)
{
    *view = (struct homonyms){.profile = *profile, .room = profile->function_count + 1};
    view->files = hash_numbers(view->room);
    view->profile.functions = copy_of(profile->functions, profile->function_count, sizeof *profile->functions);
    view->profile.lines = copy_of(profile->lines, profile->line_count, sizeof *profile->lines);
    bool filled = fill(view, profile);
    if (!filled)
        homonyms_fini(view);
    return filled ? 0 : -ENOMEM;
}

void homonyms_fini(struct homonyms *view)
{
    for (size_t i = 0; i < view->profile.function_count && view->labels; i++)
        free(view->labels[i]);
    free(view->labels);
    free(view->names);
    free(view->files);
    free(view->profile.functions);
    free(view->profile.lines);
    *view = (struct homonyms){0};
}
