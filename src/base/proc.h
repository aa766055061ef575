/* SPDX-License-Identifier: MIT
 *
 * The one way into /proc. What /proc has to say is about this process's own numbers only if it is the /proc
 * of this process's pid namespace: in another one the same number is another process. So its directory is
 * opened once, and proven, and all else is opened from there: a /proc that is mounted over it, replaced or
 * taken away later is never looked at, and the one that was proven goes on telling the truth. */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include "base/error.h"

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/* Opens /proc and proves that it is ours, unless that has been done. All functions below do so by themselves,
 * and fail with what this returns: 0, or -errno with ERROR, which may be NULL, set to why there is none and
 * what to mount. */
int proc_prove(struct error *error);

/* Makes the proven /proc the working directory of this process, which from then on needs no descriptor for
 * it, and proves that it is ours also if this process was forked since. Returns 0 or -errno. */
int proc_enter(void);

/* Gives the descriptor of the proven /proc the number TO, for a child that keeps few. Returns 0 or -errno. */
int proc_move(int to);

/* As open, readlink, stat (or lstat, with FLAGS of AT_SYMLINK_NOFOLLOW) and opendir do with PATH, which is
 * absolute; what is below /proc/ is what the proven one has there. Descriptors are close-on-exec.
 * proc_readlink ends TEXT, of SIZE bytes, with a 0. The first three return -errno, the last one NULL with
 * errno set, where those fail. */
int proc_open(const char *path, int flags);
ssize_t proc_readlink(const char *path, char *text, size_t size);
int proc_stat(const char *path, struct stat *about, int flags);
DIR *proc_opendir(const char *path);

/* Reads FD from its beginning into TEXT, at most SIZE - 1 bytes, and ends it with a 0. Returns the length or -errno. */
ssize_t proc_read(int fd, char *text, size_t size);

/* True if FD is one of the last descriptors that this process may have: it should not be kept open, so that what must
 * be opened now and then can be. */
bool proc_is_last(int fd);

/* The same, of descriptors of which there may come any number that are kept: the last quarter, or the last few, are for
 * others. */
bool proc_is_late(int fd);

/* Lets this process have as many descriptors as it may. What it starts from now on may have as many, too. */
void proc_allow_files(void);

/* The name relative to the working directory, after proc_enter, of what PATH is below /proc/; else PATH
 * itself. */
const char *proc_relative(const char *path);

#endif
