/* SPDX-License-Identifier: MIT */
#include "profile/reduce/inputs.h"

#include "common/base/error.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int add_name(struct inputs *inputs, const char *folder, const char *name, struct error *error)
{
    buffer_printf(&inputs->names, "%s%s%s", folder, *folder ? "/" : "", name);
    buffer_append(&inputs->names, "", 1);
    inputs->count++;
    return inputs->names.failed ? error_set(error, ENOMEM, "out of memory") : 0;
}

static int is_stored(const struct dirent *entry)
{
    static const char ending[] = ".pb.gz";
    size_t length = strlen(entry->d_name);
    return length > strlen(ending) && !strcmp(entry->d_name + length - strlen(ending), ending);
}

static int by_name(const struct dirent **one, const struct dirent **other)
{
    return strcmp((*one)->d_name, (*other)->d_name); /* strcmp gives the same order in any locale */
}

static int add_folder(struct inputs *inputs, const char *folder, struct error *error)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_stored, by_name), result = 0;
    if (count < 0)
        return error_system(error, errno, "cannot read the folder '%s'", folder);
    if (!count)
        result = error_set(error, ENOENT, "the folder '%s' has no stored profile (*.pb.gz)", folder);
    for (int i = 0; i < count; i++) {
        result = result ? result : add_name(inputs, folder, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return result;
}

int inputs_add(struct inputs *inputs, const char *path, struct error *error)
{
    struct stat about;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return add_folder(inputs, path, error);
    return add_name(inputs, "", path, error);
}

void inputs_fini(struct inputs *inputs)
{
    buffer_fini(&inputs->names);
    inputs->count = 0;
}

int inputs_each(const struct inputs *inputs, size_t share, size_t shares, int (*take)(const char *path, void *data),
                void *data)
{
    size_t first = inputs->count * share / shares, end = inputs->count * (share + 1) / shares;
    const char *name = inputs->names.bytes;
    int result = 0;
    for (size_t i = 0; i < end && !result; i++, name += strlen(name) + 1)
        result = i >= first ? take(name, data) : 0;
    return result;
}
