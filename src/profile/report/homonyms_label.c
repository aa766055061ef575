/* SPDX-License-Identifier: MIT
 *
 * Labels that distinguish functions of one name. */
#include "profile/report/homonyms.h"

#include "common/names/suffix.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_COMPARED = 64, /* functions of one name; with more of them, labels are whole paths */
    MOST_FOLDERS = 32
};

/* A function that may have homonyms. */
struct item {
    struct homonyms *view;
    uint32_t function;     /* index in VIEW */
    uint32_t side;         /* of VIEW */
    uint32_t name, number; /* NUMBER: of its address among the addresses in this build, if it has no file */
    const char *path, *build_id, *file, *linkage;
    size_t length;             /* of LINKAGE without suffixes */
    size_t tag_begin, tag_end; /* in LINKAGE: the suffixes that distinguish functions private to a file */
    uint64_t start;            /* 0: its address does not identify it */
};

/* The functions of one name in one module. */
struct group {
    struct item *items;
    size_t count;
    size_t addresses; /* the functions without a file are that many in each build; 0: uncertain */
    unsigned folders; /* in a label */
};

static int compare_texts(const char *one, const char *other)
{
    if (!one || !other)
        return !one - !other;
    return strcmp(one, other);
}

static int compare_numbers(uint64_t one, uint64_t other)
{
    return (one > other) - (one < other);
}

static int compare_builds(const struct item *one, const struct item *other)
{
    return one->build_id || other->build_id ? compare_texts(one->build_id, other->build_id)
                                            : compare_numbers(one->side, other->side);
}

static int compare_bytes(const char *one, size_t length, const char *other, size_t other_length)
{
    int order = compare_numbers(length, other_length);
    return order ? order : memcmp(one, other, length);
}

static int compare_linkage(const struct item *one, const struct item *other)
{
    return compare_bytes(one->linkage, one->length, other->linkage, other->length);
}

static int compare_tags(const struct item *one, const struct item *other)
{
    return compare_bytes(one->linkage + one->tag_begin, one->tag_end - one->tag_begin,
                         other->linkage + other->tag_begin, other->tag_end - other->tag_begin);
}

static int compare_groups(const struct item *one, const struct item *other)
{
    int order = compare_numbers(one->name, other->name);
    return order ? order : strcmp(one->path, other->path);
}

static int compare(const void *left, const void *right)
{
    const struct item *one = left, *other = right;
    int order = compare_groups(one, other);
    if (!order)
        order = compare_builds(one, other);
    if (!order)
        order = compare_texts(one->file, other->file);
    if (!order)
        order = compare_linkage(one, other);
    if (!order)
        order = compare_tags(one, other);
    return order ? order : compare_numbers(one->start, other->start);
}

/* Returns the end of the items from FIRST on that are in the same build. */
static size_t end_of_build(const struct group *group, size_t first)
{
    size_t end = first + 1;
    while (end < group->count && !compare_builds(&group->items[first], &group->items[end]))
        end++;
    return end;
}

/* Returns true if ONE and OTHER, which have equal linkage names except for suffixes, are parts of one function. */
static bool is_one(const struct item *one, const struct item *other)
{
    bool tagged = one->tag_end || other->tag_end;
    return tagged ? !compare_tags(one, other) : one->start == other->start;
}

/* Numbers the addresses of the items FIRST to END, which are in one build. Returns their number. Different symbols,
 * such as the two of a constructor, are one function if each occurs once. */
static size_t number_addresses(struct group *group, size_t first, size_t end)
{
    const struct item *last = NULL;
    size_t count = 0;
    bool twice = false;
    for (struct item *item = &group->items[first]; item < &group->items[end]; item++) {
        if (item->file || !item->start)
            continue;
        bool same = last && !compare_linkage(last, item), one = same && is_one(last, item);
        count += !one;
        twice |= same && !one;
        item->number = (uint32_t)count - 1;
        last = item;
    }
    return twice ? count : count > 0;
}

static size_t count_files(const struct group *group, size_t first, size_t end)
{
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        count +=
            group->items[i].file && (i == first || compare_texts(group->items[i].file, group->items[i - 1].file) != 0);
    return count;
}

/* Returns true if a build contains several functions of GROUP, unless only some builds have files: their functions
 * could not be compared then. */
static bool is_ambiguous(struct group *group)
{
    size_t most_files = 0, least = SIZE_MAX, most = 0;
    bool mixed = false, without_files = false;
    for (size_t first = 0, end; first < group->count; first = end) {
        end = end_of_build(group, first);
        size_t files = count_files(group, first, end), addresses = number_addresses(group, first, end);
        most_files = files > most_files ? files : most_files;
        most = addresses > most ? addresses : most;
        least = addresses && addresses < least ? addresses : least;
        mixed |= files && addresses;
        without_files |= !files && addresses;
    }
    group->addresses = least == most ? most : 0;
    if (most_files && without_files)
        return false;
    return most_files > 1 || group->addresses > 1 || mixed;
}

/* Returns the end of PATH that begins FOLDERS folders before its last part. */
static const char *tail_of(const char *path, unsigned folders)
{
    const char *at = path + strlen(path);
    for (unsigned i = 0; i <= folders && at > path; i++)
        for (at--; at > path && at[-1] != '/'; at--)
            ;
    return at;
}

static bool tails_differ(const struct group *group, size_t first, size_t end, unsigned folders)
{
    for (size_t i = first; i < end; i++)
        for (size_t k = i + 1; k < end && group->items[k].file; k++)
            if (strcmp(group->items[i].file, group->items[k].file) != 0 &&
                !strcmp(tail_of(group->items[i].file, folders), tail_of(group->items[k].file, folders)))
                return false;
    return true;
}

/* Chooses how many folders labels must have. */
static void choose_folders(struct group *group)
{
    for (size_t first = 0, end; first < group->count; first = end) {
        end = end_of_build(group, first);
        if (end - first > MOST_COMPARED)
            group->folders = MOST_FOLDERS;
        while (group->folders < MOST_FOLDERS && !tails_differ(group, first, end, group->folders))
            group->folders++;
    }
}

/* Sets STARTS to the addresses in the first profile, by number, for the labels. */
static void choose_starts(const struct group *group, uint64_t *starts)
{
    for (size_t i = group->count; i--;) {
        const struct item *item = &group->items[i];
        if (!item->file && item->start && item->number < group->addresses && (!starts[item->number] || !item->side))
            starts[item->number] = item->start;
    }
}

static bool label(const struct group *group, const struct item *item, const uint64_t *starts)
{
    char text[sizeof "0x" + 16], **to = &item->view->labels[item->function];
    if (item->file)
        return (*to = strdup(tail_of(item->file, group->folders))) != NULL;
    if (!item->start || !group->addresses)
        return true;
    snprintf(text, sizeof text, "0x%" PRIx64, starts[group->addresses > 1 ? item->number : 0]);
    return (*to = strdup(text)) != NULL;
}

static bool label_group(struct group *group)
{
    if (group->count < 2 || !is_ambiguous(group))
        return true;
    uint64_t *starts = calloc(group->addresses + 1, sizeof *starts);
    choose_folders(group);
    if (starts)
        choose_starts(group, starts);
    bool done = starts;
    for (size_t i = 0; i < group->count && done; i++)
        done = label(group, &group->items[i], starts);
    free(starts);
    return done;
}

/* Finds the suffixes of ITEM's linkage name. The address does not identify a part of a function. */
static void find_suffixes(struct item *item)
{
    enum suffix kind = SUFFIX_PART;
    bool is_part = false;
    item->length = strlen(item->linkage);
    while (kind != SUFFIX_NONE) {
        size_t end = item->length;
        item->length = suffix_begin(item->linkage, end, &kind);
        is_part |= kind == SUFFIX_PART;
        if (kind != SUFFIX_FILE)
            continue;
        item->tag_begin = item->length;
        item->tag_end = item->tag_end ? item->tag_end : end;
    }
    if (is_part && !item->tag_end)
        item->start = 0;
}

/* Describes function NUMBER of VIEW. */
static struct item item_of(struct homonyms *view, uint32_t side, uint32_t number)
{
    const struct profile_function *function = &view->profile.functions[number];
    const struct profile_module *module = &view->profile.modules[function->module];
    bool is_symbol = module->text_end && !strchr(function->linkage_name, '@');
    struct item item = {
        .view = view,
        .function = number,
        .side = side,
        .name = view->names[number],
        .path = module->path,
        .build_id = module->build_id,
        .file = view->files[number] == PROFILE_NONE ? NULL : view->profile.files[view->files[number]],
        .linkage = function->linkage_name,
        .start = is_symbol ? function->start : 0,
    };
    find_suffixes(&item);
    return item;
}

int homonyms_label(struct homonyms *views, uint32_t count)
{
    size_t most = 0, used = 0;
    for (uint32_t side = 0; side < count; side++)
        most += views[side].profile.function_count;
    struct item *items = calloc(most + 1, sizeof *items);
    bool done = items;
    for (uint32_t side = 0; side < count && done; side++)
        for (uint32_t i = 0; i < views[side].profile.function_count; i++)
            if (views[side].profile.functions[i].linkage_name)
                items[used++] = item_of(&views[side], side, i);
    if (used)
        qsort(items, used, sizeof *items, compare);
    for (size_t first = 0, end; first < used && done; first = end) {
        for (end = first + 1; end < used && !compare_groups(&items[first], &items[end]); end++)
            ;
        done = label_group(&(struct group){.items = &items[first], .count = end - first});
    }
    free(items);
    return done ? 0 : -ENOMEM;
}
