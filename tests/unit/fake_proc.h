/* SPDX-License-Identifier: MIT
 *
 * A /proc of the test's own, for modules that read tracees' files. The program is linked with --wrap for the functions
 * of base/proc.h that are replaced here; whatever they open is below a directory of the test's. */
#ifndef FAKE_PROC_H
#define FAKE_PROC_H

#include "base/proc.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __wrap_proc_open(const char *path, int flags);
DIR *__wrap_proc_opendir(const char *path);
int __wrap_proc_stat(const char *path, struct stat *about, int flags);
ssize_t __wrap_proc_readlink(const char *path, char *text, size_t size);
const char *__wrap_proc_relative(const char *path);

static char fake_proc_root[200];

/* Where PATH, below /proc, is in the fake one. Overwritten by the next call. */
static inline const char *fake_proc_path(const char *path)
{
    static char whole[400];
    snprintf(whole, sizeof whole, "%s%s", fake_proc_root, path);
    return whole;
}

int __wrap_proc_open(const char *path, int flags)
{
    int fd = open(fake_proc_path(path), flags | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

DIR *__wrap_proc_opendir(const char *path)
{
    return opendir(fake_proc_path(path));
}

int __wrap_proc_stat(const char *path, struct stat *about, int flags)
{
    return fstatat(AT_FDCWD, fake_proc_path(path), about, flags) < 0 ? -errno : 0;
}

ssize_t __wrap_proc_readlink(const char *path, char *text, size_t size)
{
    ssize_t length = readlink(fake_proc_path(path), text, size - 1);
    if (length < 0)
        return -errno;
    text[length] = 0;
    return length;
}

const char *__wrap_proc_relative(const char *path)
{
    return fake_proc_path(path);
}

static inline void fake_proc_begin(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(fake_proc_root, sizeof fake_proc_root, "%s/fake-proc.XXXXXX", folder ? folder : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(fake_proc_root));
}

static inline int fake_proc_remove(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

static inline void fake_proc_end(void)
{
    nftw(fake_proc_root, fake_proc_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* Where PATH is, in a folder that is there. */
static inline const char *fake_proc_place(const char *path)
{
    static char whole[400];
    snprintf(whole, sizeof whole, "%s", fake_proc_path(path));
    for (char *slash = whole + strlen(fake_proc_root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        ck_assert(mkdir(whole, 0700) == 0 || errno == EEXIST);
    }
    return whole;
}

/* PATH, which begins with /proc, says TEXT from now on. */
static inline void fake_proc_say(const char *path, const char *text)
{
    FILE *file = fopen(fake_proc_place(path), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* PATH is a link to TARGET from now on. */
static inline void fake_proc_link(const char *path, const char *target)
{
    const char *whole = fake_proc_place(path);
    ck_assert(unlink(whole) == 0 || errno == ENOENT);
    ck_assert_int_eq(symlink(target, whole), 0);
}

/* PATH is no longer there. */
static inline void fake_proc_hide(const char *path)
{
    ck_assert_int_eq(unlink(fake_proc_path(path)), 0);
}

#endif
