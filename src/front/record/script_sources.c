/* SPDX-License-Identifier: MIT
 *
 * Finds user, root directory and working directory of processes that run an interpreted language. */
#include "front/record/record_parts.h"

#include "common/base/proc.h"
#include "front/record/object.h"
#include "profile/profile/sources.h"
#include "programs/files/process_viewer.h"
#include "programs/files/roots.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void learn_user(struct profile_sources *sources, const char *folder)
{
    struct profile_sources found = {.kind = PROFILE_SOURCES_HERE};
    enum roots_relation relation = roots_compare(folder);
    if (!process_viewer_find(folder, &found.viewer) || relation == ROOTS_UNKNOWN) {
        if (sources->kind == PROFILE_SOURCES_NONE && geteuid() != 0)
            *sources = found; /* we have only the user's own rights */
        return;
    }
    if (relation == ROOTS_OTHER) {
        found.kind = PROFILE_SOURCES_ELSEWHERE;
        snprintf(found.root, sizeof found.root, "%s/root", folder);
        if (sources->kind == found.kind && roots_are_same(sources->root, found.root))
            memcpy(found.root, sources->root, sizeof found.root);
    }
    profile_sources_add(sources, &found);
}

static void learn_working_folder(struct object *object, const char *folder)
{
    char link[PROCESS_FOLDER_SIZE + 8], path[PATH_MAX];
    snprintf(link, sizeof link, "%s/cwd", folder);
    if (proc_readlink(link, path, sizeof path) <= 0)
        return;
    if (!object->folder)
        object->folder = strdup(path);
    else if (strcmp(object->folder, path) != 0)
        object->folder[0] = 0;
}

void script_sources_learn(struct object *object, pid_t pid)
{
    char folder[PROCESS_FOLDER_SIZE];
    process_folder(pid, folder);
    learn_user(&object->sources, folder);
    learn_working_folder(object, folder);
}
