/* SPDX-License-Identifier: MIT
 *
 * Finds the file to read a module's code from: the profiled file, wherever it is now. A stranger's file is opened
 * only if it is a regular file (files/regular.h), and used only if it has the module's build-id. */
#ifndef CODE_ORIGIN_H
#define CODE_ORIGIN_H

#include "elf/file.h"
#include "profile/profile.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Owned, but for the module. */
struct origin {
    const struct profile_module *module;
    char *path;          /* where the file is, as seen from ROOT; of the vDSO the module's */
    char root[PATH_MAX]; /* the directory that the file's own paths are below; "": ours */
    int fd;              /* -1: of the vDSO */
    struct stat about;   /* of the file, if that is one */
    struct elf_file *file;
    struct viewer viewer; /* the user by whose rights files are opened that it names */
    bool unproven;        /* neither the module nor the file has a build-id */
};

/* Opens the file of MODULE. With a SYSROOT that is not NULL, a directory, it is looked for below that. Without one it
 * is looked for at its own path, then by its build-id where packages keep programs by that, then below the other root
 * directories that processes have, if it has a build-id. Returns 0, or -errno with ERROR set: -ESTALE the file has been
 * replaced since, -ENOTSUP the code was never in a file, and others. Free with origin_fini in either case. */
int origin_open(struct origin *origin, const struct profile_module *module, const char *sysroot, struct error *error);
void origin_fini(struct origin *origin);

#endif
