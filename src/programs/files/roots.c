/* SPDX-License-Identifier: MIT */
#include "programs/files/roots.h"

#include "common/base/array.h"
#include "common/base/proc.h"
#include "common/base/texts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMESPACE_SIZE = 64 };

/* Writes a text that identifies the root of the process with folder FOLDER. Returns false if the kernel does not
 * show it. */
static bool describe(const char *folder, char text[static NAMESPACE_SIZE + PATH_MAX])
{
    char link[PROCESS_FOLDER_SIZE + 8], space[NAMESPACE_SIZE], root[PATH_MAX];
    snprintf(link, sizeof link, "%s/ns/mnt", folder);
    if (proc_readlink(link, space, sizeof space) <= 0)
        return false;
    snprintf(link, sizeof link, "%s/root", folder);
    if (proc_readlink(link, root, sizeof root) <= 0)
        return false;
    snprintf(text, NAMESPACE_SIZE + PATH_MAX, "%s%s", space, root);
    return true;
}

static int add_root(struct roots *roots, struct texts *seen, pid_t pid)
{
    char folder[PROCESS_FOLDER_SIZE], text[NAMESPACE_SIZE + PATH_MAX];
    size_t before = seen->count;
    process_folder(pid, folder);
    if (!describe(folder, text))
        return 0;
    if (texts_add(seen, text) == HASH_NONE)
        return -ENOMEM;
    if (seen->count == before)
        return 0;
    if (!ARRAY_RESERVE_ONE(roots))
        return -ENOMEM;
    snprintf(roots->items[roots->count++].path, ROOTS_PATH_SIZE, "%s/root", folder);
    return 0;
}

int roots_find(struct roots *roots)
{
    char own[NAMESPACE_SIZE + PATH_MAX];
    struct texts seen = {0};
    int result = 0;
    if (!describe("/proc/self", own))
        return -EACCES;
    DIR *directory = texts_add(&seen, own) == HASH_NONE ? NULL : proc_opendir("/proc/.");
    if (!directory)
        result = -errno;
    for (const struct dirent *entry; directory && !result && roots->count < ROOTS_MOST && (entry = readdir(directory));)
        if (strspn(entry->d_name, "0123456789") == strlen(entry->d_name))
            result = add_root(roots, &seen, (pid_t)atoi(entry->d_name));
    if (directory)
        closedir(directory);
    texts_fini(&seen);
    return result;
}

void roots_fini(struct roots *roots)
{
    free(roots->items);
    *roots = (struct roots){0};
}

enum roots_relation roots_compare(const char *folder)
{
    char own[NAMESPACE_SIZE + PATH_MAX], other[NAMESPACE_SIZE + PATH_MAX];
    if (!describe("/proc/self", own) || !describe(folder, other))
        return ROOTS_UNKNOWN;
    return strcmp(own, other) ? ROOTS_OTHER : ROOTS_OURS;
}

bool roots_are_same(const char *one, const char *other)
{
    char first[NAMESPACE_SIZE + PATH_MAX], second[NAMESPACE_SIZE + PATH_MAX], folder[ROOTS_PATH_SIZE];
    const char *const roots[] = {one, other};
    char *const texts[] = {first, second};
    for (size_t i = 0; i < 2; i++) {
        snprintf(folder, sizeof folder, "%.*s", (int)(strlen(roots[i]) - strlen("/root")), roots[i]);
        if (!describe(folder, texts[i]))
            return false;
    }
    return !strcmp(first, second);
}
