/* SPDX-License-Identifier: MIT
 *
 * Finds the file to read a module's code from: the profiled file, wherever it is now. A stranger's file is opened
 * only if it is a regular file (files/regular.h), and used only if it has the module's build-id. */
#ifndef CODE_ORIGIN_H
#define CODE_ORIGIN_H

#include "profile/profile/profile.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

struct error;

/* Owned, except for the module. */
struct origin {
    const struct profile_module *module;
    char *path;          /* the file's path, as seen from ROOT; for the vDSO the module's path */
    char root[PATH_MAX]; /* the root directory of the path; "": ours */
    int fd;              /* -1: the vDSO */
    struct stat about;   /* of the file, if that is one */
    struct elf_file *file;
    struct viewer viewer; /* user with whose rights files named by it are opened */
    bool unproven;        /* neither the module nor the file has a build-id */
};

/* Opens the file of MODULE. With a SYSROOT (a directory, or NULL), looks for it only below that. Without one, tries its
 * own path, then the links by build-id that packages install, then the other root directories that processes have. The
 * last two need a build-id. Returns 0, or -errno with ERROR set: -ESTALE the file has been replaced since, -ENOTSUP the
 * code was never in a file, and others. Free with origin_fini in either case. */
int origin_open(struct origin *origin, const struct profile_module *module, const char *sysroot, struct error *error);
void origin_fini(struct origin *origin);

#endif
