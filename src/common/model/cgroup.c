/* SPDX-License-Identifier: MIT */
#include "common/model/cgroup.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_ID = 32 }; /* minimum digits of a container's ID; most have 64 */

static const char mount[] = "/sys/fs/cgroup";

/* A part of a text. */
struct part {
    const char *at;
    size_t length;
};

/* Returns the path in the line at *TEXT, and moves *TEXT to the next line. Returns false at the end. */
static bool next_path(const char **text, struct part *path)
{
    while (**text) {
        size_t length = strcspn(*text, "\n");
        const char *line = *text, *controllers = memchr(line, ':', length);
        *text += length + (line[length] == '\n');
        const char *at = controllers ? memchr(controllers + 1, ':', length - (size_t)(controllers + 1 - line)) : NULL;
        if (!at)
            continue;
        *path = (struct part){at + 1, length - (size_t)(at + 1 - line)};
        return true;
    }
    return false;
}

/* Returns the next name of PATH, up to a slash, and moves PATH past it. */
static bool next_name(struct part *path, struct part *name)
{
    while (path->length && *path->at == '/') {
        path->at++;
        path->length--;
    }
    const char *end = path->length ? memchr(path->at, '/', path->length) : NULL;
    *name = (struct part){path->at, end ? (size_t)(end - path->at) : path->length};
    path->at += name->length;
    path->length -= name->length;
    return name->length > 0;
}

static bool same(const struct part *one, const struct part *other)
{
    return one->length == other->length && !memcmp(one->at, other->at, one->length);
}

/* Returns true if PATH begins with the names in WANTED. */
static bool begins_with(struct part path, struct part wanted)
{
    struct part name, other;
    while (next_name(&wanted, &other))
        if (!next_name(&path, &name) || !same(&name, &other))
            return false;
    return true;
}

static bool is_in(const char *text, struct part wanted, bool anywhere)
{
    struct part path, name;
    while (next_path(&text, &path)) {
        if (begins_with(path, wanted))
            return true;
        while (anywhere && next_name(&path, &name))
            if (begins_with(path, wanted))
                return true;
    }
    return false;
}

bool cgroup_is_in(const char *text, const char *path)
{
    bool mounted =
        !strncmp(path, mount, sizeof mount - 1) && (path[sizeof mount - 1] == '/' || !path[sizeof mount - 1]);
    struct part wanted = {path, strlen(path)}, controllers;
    if (mounted)
        wanted = (struct part){path + sizeof mount - 1, strlen(path + sizeof mount - 1)};
    if (is_in(text, wanted, *path != '/'))
        return true;
    /* Control groups of version 1 are mounted below the names of their controllers. */
    return mounted && next_name(&wanted, &controllers) && wanted.length && is_in(text, wanted, false);
}

static bool ends_with(const struct part *name, const char *ending)
{
    size_t length = strlen(ending);
    return name->length > length && !memcmp(name->at + name->length - length, ending, length);
}

/* Removes the prefix that runtimes put before an ID or a name. */
static struct part strip(struct part name)
{
    static const char *const beginnings[] = {"lxc.payload.", "machine-"};
    if (ends_with(&name, ".scope"))
        name.length -= strlen(".scope");
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        size_t length = strlen(beginnings[i]);
        if (name.length > length && !memcmp(name.at, beginnings[i], length))
            return (struct part){name.at + length, name.length - length};
    }
    return name;
}

/* Returns the ID at the end of a control group's name, such as docker-ID.scope, or an empty part. */
static struct part id_of(struct part name)
{
    size_t digits = 0;
    while (digits < name.length && isxdigit((unsigned char)name.at[name.length - 1 - digits]))
        digits++;
    bool apart = digits == name.length || strchr("-:", name.at[name.length - 1 - digits]);
    bool watcher = memmem(name.at, name.length, "conmon", strlen("conmon")) != NULL;
    return digits < LEAST_ID || !apart || watcher ? (struct part){name.at, 0}
                                                  : (struct part){name.at + name.length - digits, digits};
}

static bool is_container(struct part name, const char *id, struct part *found)
{
    size_t length = strlen(id);
    *found = strip(name);
    if (length && found->length == length && !memcmp(found->at, id, length))
        return true;
    *found = id_of(*found);
    return length && found->length >= length && !memcmp(found->at, id, length);
}

bool cgroup_container(const char *text, const char *id, char *found, size_t size)
{
    struct part path, name, whole;
    while (next_path(&text, &path))
        while (next_name(&path, &name))
            if (is_container(name, id, &whole)) {
                snprintf(found, size, "%.*s", (int)whole.length, whole.at);
                return true;
            }
    return false;
}

/* Copies NAME, unless it is too long. */
static void take_name(struct part name, char *to, size_t size)
{
    snprintf(to, size, "%.*s", name.length < size ? (int)name.length : 0, name.at);
}

static void find_in_path(struct part path, struct cgroup_names *names)
{
    static const char user[] = "user@";
    struct part name;
    while (next_name(&path, &name)) {
        struct part id = id_of(strip(name));
        if (id.length)
            take_name(id, names->container, sizeof names->container);
        if (ends_with(&name, ".service") && strncmp(name.at, user, sizeof user - 1) != 0)
            take_name(name, names->unit, sizeof names->unit);
    }
}

void cgroup_find_names(const char *text, struct cgroup_names *names)
{
    struct part path;
    *names = (struct cgroup_names){0};
    while (next_path(&text, &path)) {
        struct cgroup_names found = {0};
        find_in_path(path, &found);
        if (!*names->unit)
            memcpy(names->unit, found.unit, sizeof names->unit);
        if (!*names->container)
            memcpy(names->container, found.container, sizeof names->container);
    }
}
