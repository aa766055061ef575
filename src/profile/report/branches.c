/* SPDX-License-Identifier: MIT */
#include "profile/report/branches.h"

#include "common/base/hash.h"
#include "common/names/library_name.h"
#include "profile/profile/profile.h"
#include "profile/report/calltree.h"
#include "programs/interp/languages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Parts below this share (1/100) are not worth a line in the heaviest paths. */
enum { SEEN = 100 };

enum { KEPT_PERCENT = 90 };

void branches_fini(struct branches *branches)
{
    free(branches->hidden);
    branches->hidden = NULL;
}

double branches_least_ns(const struct branches *branches)
{
    return branches->least_percent / 100 * (double)branches->tree->items[0].total_ns;
}

uint32_t branches_first(const struct branches *branches, uint32_t number)
{
    return branches->hidden && branches->hidden[number] ? HASH_NONE : branches->tree->items[number].first_child;
}

uint32_t branches_only(const struct branches *branches, uint32_t number, uint64_t total_ns)
{
    uint32_t first = branches->fold ? branches_first(branches, number) : HASH_NONE;
    if (first == HASH_NONE)
        return HASH_NONE;
    const struct calltree_node *child = &branches->tree->items[first];
    bool single = child->next == HASH_NONE || branches->unseen_ns;
    if (branches->kept_percent && (double)child->total_ns * 100 >= (double)total_ns * branches->kept_percent)
        return first;
    return single && child->total_ns + branches->unseen_ns >= total_ns ? first : HASH_NONE;
}

/* Returns true if a module with this PATH contains code that a runtime interprets or compiles. */
static bool is_of_script(const char *path)
{
    return !strcmp(path, "[jit]") || interp_language_of(path) != INTERP_NONE;
}

bool branches_is_own(const struct profile *profile, uint32_t function)
{
    if (function == PROFILE_NONE || library_name(profile->functions[function].name))
        return false;
    const struct profile_module *module = &profile->modules[profile->functions[function].module];
    return module->executable || is_of_script(module->path);
}

bool branches_is_start_up(const char *name)
{
    static const char *const names[] = {
        "_start", "_start_c", "start_thread",           "__clone", "__clone2", "__clone3",
        "clone",  "clone3",   "libc_start_main_stage2", "start_c"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return !strncmp(name, "__libc_start_", strlen("__libc_start_"));
}

/* Counts the lines of the branches below node NUMBER, which is DEPTH chains deep. */
static size_t count_lines(const struct branches *branches, uint32_t number, unsigned depth)
{
    const struct calltree_node *nodes = branches->tree->items;
    double least_ns = branches_least_ns(branches);
    uint32_t child = branches_first(branches, number), last, next;
    uint64_t others_ns = 0;
    size_t lines = 0;
    for (; child != HASH_NONE && depth < BRANCHES_DEEPEST && (double)nodes[child].total_ns >= least_ns;
         child = nodes[child].next) {
        for (last = child; (next = branches_only(branches, last, nodes[child].total_ns)) != HASH_NONE;)
            last = next;
        lines += 1 + count_lines(branches, last, depth + 1);
    }
    for (; child != HASH_NONE; child = nodes[child].next)
        others_ns += nodes[child].total_ns;
    return lines + (lines && others_ns && (double)others_ns >= least_ns);
}

/* Hides the callees of libraries below the program's own functions, unless a branch there leads back to an own
 * function. MARKS has room for two entries of each node. A node's parent comes before the node. */
static void hide_libraries(struct branches *branches, const struct profile *profile, bool *marks)
{
    const struct calltree *tree = branches->tree;
    bool *leads = marks, *called = marks + tree->count;
    double least_ns = branches_least_ns(branches);
    memset(marks, 0, 2 * tree->count * sizeof *marks);
    for (size_t i = tree->count; --i > 0;) { /* all but the root */
        bool own = branches_is_own(profile, tree->items[i].function) && (double)tree->items[i].total_ns >= least_ns;
        leads[tree->items[i].parent] |= leads[i] || own;
    }
    for (size_t i = 1; i < tree->count; i++) {
        bool own = branches_is_own(profile, tree->items[i].function);
        called[i] = called[tree->items[i].parent] || own;
        branches->hidden[i] = called[i] && !own && !leads[i];
    }
}

int branches_fit(struct branches *branches, const struct profile *profile, size_t most_lines)
{
    static const unsigned char shares[] = {5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50};
    const size_t count = branches->tree->count;
    branches->fold = true;
    branches->unseen_ns = branches->tree->items[0].total_ns / SEEN;
    branches->least_percent = shares[0];
    if (!most_lines || count_lines(branches, 0, 0) <= most_lines)
        return 0;
    branches->kept_percent = KEPT_PERCENT;
    bool *marks = calloc(count, 2 * sizeof *marks);
    branches->hidden = marks ? calloc(count, sizeof *branches->hidden) : NULL;
    for (size_t i = 0; branches->hidden && i < sizeof shares; i++) {
        branches->least_percent = shares[i];
        hide_libraries(branches, profile, marks);
        if (count_lines(branches, 0, 0) <= most_lines)
            break;
    }
    free(marks);
    return branches->hidden ? 0 : -ENOMEM;
}
