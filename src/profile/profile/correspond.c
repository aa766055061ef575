/* SPDX-License-Identifier: MIT */
#include "profile/profile/correspond.h"

#include "common/base/buffer.h"
#include "common/base/hash.h"
#include "profile/profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pairing {
    struct profile *base;
    const struct profile *profile;
    uint32_t *pairs; /* for each module of the base, the profile's module; PROFILE_NONE: none yet */
    bool *taken;     /* for each module of the profile */
};

/* Characters of version numbers. */
static bool is_of_version(char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
}

/* Copies NAME without its version numbers, cut to SIZE. */
static void copy_stem(const char *name, char *stem, size_t size)
{
    const char *so = strstr(name, ".so");
    bool library = so && (!so[3] || so[3] == '.');
    size_t length = library ? (size_t)(so - name) : strlen(name);
    while (length > 1 && is_of_version(name[length - 1]))
        length--;
    if (length >= size - sizeof ".so")
        length = size - sizeof ".so";
    memcpy(stem, name, length);
    strcpy(stem + length, library ? ".so" : "");
}

bool correspond_names(const char *one, const char *other)
{
    char stem[256], other_stem[256];
    copy_stem(one, stem, sizeof stem);
    copy_stem(other, other_stem, sizeof other_stem);
    return !strcmp(stem, other_stem);
}

typedef bool corresponds(const struct profile_module *one, const struct profile_module *other);

static bool has_path(const struct profile_module *one, const struct profile_module *other)
{
    return !strcmp(one->path, other->path);
}

static bool has_name(const struct profile_module *one, const struct profile_module *other)
{
    return one->path[0] == '/' && other->path[0] == '/' && !strcmp(one->name, other->name);
}

static bool has_version(const struct profile_module *one, const struct profile_module *other)
{
    return one->path[0] == '/' && other->path[0] == '/' && one->executable == other->executable &&
           correspond_names(one->name, other->name);
}

static bool are_programs(const struct profile_module *one, const struct profile_module *other)
{
    return one->executable && other->executable;
}

/* Pairs the remaining modules that fit only each other. MANY: pairs any that fit. */
static void pair(struct pairing *pairing, corresponds *fit, bool many)
{
    const struct profile *base = pairing->base, *profile = pairing->profile;
    for (uint32_t i = 0; i < base->module_count; i++) {
        uint32_t found = PROFILE_NONE, of_profile = 0, of_base = 0;
        for (uint32_t k = 0; k < profile->module_count && pairing->pairs[i] == PROFILE_NONE; k++)
            if ((many || !pairing->taken[k]) && fit(&base->modules[i], &profile->modules[k])) {
                found = k;
                of_profile++;
            }
        for (uint32_t k = 0; k < base->module_count && found != PROFILE_NONE; k++)
            of_base += pairing->pairs[k] == PROFILE_NONE && fit(&base->modules[k], &profile->modules[found]);
        if (found == PROFILE_NONE || (!many && (of_profile > 1 || of_base > 1)))
            continue;
        pairing->pairs[i] = found;
        pairing->taken[found] = true;
    }
}

static bool set_text(char **text, const char *to)
{
    char *copy = strdup(to);
    if (!copy)
        return false;
    free(*text);
    *text = copy;
    return true;
}

static bool has_comm(const struct profile *profile, const char *comm)
{
    for (size_t i = 0; i < profile->process_count; i++)
        if (!strcmp(profile->processes[i].comm, comm))
            return true;
    return false;
}

/* Returns the name of processes that run the program PAIR of the profile, or NULL. */
static const char *comm_of(const struct profile *profile, uint32_t pair)
{
    for (size_t i = 0; i < profile->process_count; i++)
        if (profile->processes[i].module == pair)
            return profile->processes[i].comm;
    return NULL;
}

static bool rename_process(const struct pairing *pairing, uint32_t index)
{
    struct profile *base = pairing->base;
    struct profile_process *process = &base->processes[index];
    uint32_t pair = process->module == PROFILE_NONE ? PROFILE_NONE : pairing->pairs[process->module];
    const char *comm = pair == PROFILE_NONE ? NULL : comm_of(pairing->profile, pair);
    if (!comm || has_comm(pairing->profile, process->comm))
        return true;
    for (size_t i = 0; i < base->thread_count; i++)
        if (base->threads[i].process == index && !strcmp(base->threads[i].comm, process->comm) &&
            !set_text(&base->threads[i].comm, comm))
            return false;
    return set_text(&process->comm, comm);
}

static bool rename_module(const struct pairing *pairing, uint32_t index, struct buffer *told)
{
    struct profile_module *module = &pairing->base->modules[index];
    if (pairing->pairs[index] == PROFILE_NONE)
        return true;
    const struct profile_module *pair = &pairing->profile->modules[pairing->pairs[index]];
    if (strcmp(module->name, pair->name) != 0)
        buffer_printf(told, "%s%s and %s", told->length ? ", " : "", pair->name, module->name);
    bool set = set_text(&module->path, pair->path);
    module->name = profile_module_name(module->path);
    return set;
}

static bool pair_and_rename(struct pairing *pairing, struct buffer *told)
{
    bool renamed = true;
    pair(pairing, has_path, true);
    pair(pairing, has_name, false);
    pair(pairing, has_version, false);
    pair(pairing, are_programs, false);
    for (uint32_t i = 0; i < pairing->base->process_count && renamed; i++)
        renamed = rename_process(pairing, i);
    for (uint32_t i = 0; i < pairing->base->module_count && renamed; i++)
        renamed = rename_module(pairing, i, told);
    return renamed;
}

int correspond(struct profile *base, const struct profile *profile, struct buffer *told)
{
    struct pairing pairing = {.base = base, .profile = profile};
    pairing.pairs = hash_numbers(base->module_count);
    pairing.taken = calloc(profile->module_count + 1, sizeof *pairing.taken);
    bool done = pairing.pairs && pairing.taken && pair_and_rename(&pairing, told);
    free(pairing.pairs);
    free(pairing.taken);
    if (!done || told->failed)
        return -ENOMEM;
    return correspond_functions(base, profile);
}
