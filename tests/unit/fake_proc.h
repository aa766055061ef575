/* SPDX-License-Identifier: MIT
 *
 * A fake /proc, for modules that read tracees' files. Programs are linked with --wrap for the functions of
 * base/proc.h that are replaced here. These open files below a temporary directory. */
#ifndef FAKE_PROC_H
#define FAKE_PROC_H

#include "common/base/proc.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __wrap_proc_open(const char *path, int flags);
DIR *__wrap_proc_opendir(const char *path);
struct dirent *__wrap_readdir(DIR *directory);
int __real_closedir(DIR *directory);
int __wrap_closedir(DIR *directory);
int __wrap_proc_stat(const char *path, struct stat *about, int flags);
ssize_t __wrap_proc_readlink(const char *path, char *text, size_t size);
const char *__wrap_proc_relative(const char *path);

static char fake_proc_root[200];

/* Returns the real path of PATH in the fake /proc. The next call overwrites it. */
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

/* Open directories. Their entries are sorted by name, because file systems return them in different orders. */
static struct fake_proc_directory {
    DIR *opened; /* NULL: none */
    struct dirent **entries;
    int count, next;
} fake_proc_directories[4];

static inline struct fake_proc_directory *fake_proc_directory(const DIR *opened)
{
    size_t i = 0, most = sizeof fake_proc_directories / sizeof *fake_proc_directories;
    while (i < most && fake_proc_directories[i].opened != opened)
        i++;
    if (i == most)
        ck_abort_msg("too many directories are open");
    return &fake_proc_directories[i];
}

DIR *__wrap_proc_opendir(const char *path)
{
    DIR *opened = opendir(fake_proc_path(path));
    if (!opened)
        return NULL;
    struct fake_proc_directory *directory = fake_proc_directory(NULL);
    directory->opened = opened;
    directory->next = 0;
    directory->count = scandir(fake_proc_path(path), &directory->entries, NULL, alphasort);
    return opened;
}

struct dirent *__wrap_readdir(DIR *opened)
{
    struct fake_proc_directory *directory = fake_proc_directory(opened);
    return directory->next < directory->count ? directory->entries[directory->next++] : NULL;
}

int __wrap_closedir(DIR *opened)
{
    struct fake_proc_directory *directory = fake_proc_directory(opened);
    while (directory->count > 0)
        free(directory->entries[--directory->count]);
    free(directory->entries);
    *directory = (struct fake_proc_directory){0};
    return __real_closedir(opened);
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

static inline bool fake_proc_make(const char *folder)
{
    snprintf(fake_proc_root, sizeof fake_proc_root, "%s/fake-proc.XXXXXX", folder);
    return mkdtemp(fake_proc_root) != NULL;
}

/* Uses a file system in memory if possible, because tests create thousands of files. */
static inline void fake_proc_begin(void)
{
    const char *folder = getenv("TMPDIR");
    ck_assert(fake_proc_make("/dev/shm") || fake_proc_make(folder ? folder : "/tmp"));
}

static inline int fake_proc_remove(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

/* Removes PATH and everything below it, if it exists. */
static inline void fake_proc_drop(const char *path)
{
    nftw(fake_proc_path(path), fake_proc_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void fake_proc_end(void)
{
    fake_proc_drop("");
}

/* Returns the real path of PATH, and creates its folder. */
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

/* Sets the content of PATH, which begins with /proc, to TEXT. */
static inline void fake_proc_say(const char *path, const char *text)
{
    FILE *file = fopen(fake_proc_place(path), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

/* Makes PATH a link to TARGET. */
static inline void fake_proc_link(const char *path, const char *target)
{
    const char *whole = fake_proc_place(path);
    ck_assert(unlink(whole) == 0 || errno == ENOENT);
    ck_assert_int_eq(symlink(target, whole), 0);
}

/* Removes the file PATH. */
static inline void fake_proc_hide(const char *path)
{
    ck_assert_int_eq(unlink(fake_proc_path(path)), 0);
}

#endif
