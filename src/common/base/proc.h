/* SPDX-License-Identifier: MIT
 *
 * The only access to /proc. A /proc of another pid namespace would show other processes under our numbers. So this
 * module opens /proc once, proves that it belongs to this process's pid namespace, and opens everything else
 * relative to that descriptor. A /proc that is later mounted over it, replaced or removed has no effect. */
#ifndef BASE_PROC_H
#define BASE_PROC_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct error;

/* Opens /proc and proves that it shows our pid namespace, unless that is done already. All functions below call this
 * and fail with its result. Returns 0, or -errno with ERROR (may be NULL) set to the reason and what to mount. */
int proc_prove(struct error *error);

/* Makes the proven /proc the working directory, so that no descriptor for it is needed. Proves it again, because the
 * process may have been forked since. Returns 0 or -errno. */
int proc_enter(void);

/* Moves the descriptor of the proven /proc to number TO, for a child that keeps few descriptors. Returns 0 or
 * -errno. */
int proc_move(int to);

/* As open, readlink, stat (lstat with AT_SYMLINK_NOFOLLOW in FLAGS) and opendir. PATH is absolute; a path below
 * /proc/ is looked up in the proven /proc. Descriptors are close-on-exec. proc_readlink ends TEXT, of SIZE bytes,
 * with a 0. The first three return -errno on failure, proc_opendir returns NULL with errno set. */
int proc_open(const char *path, int flags);
ssize_t proc_readlink(const char *path, char *text, size_t size);
int proc_stat(const char *path, struct stat *about, int flags);
DIR *proc_opendir(const char *path);

/* Reads FD from its beginning into TEXT, at most SIZE - 1 bytes, and ends it with a 0. Returns the length or -errno. */
ssize_t proc_read(int fd, char *text, size_t size);

/* Returns true if FD is one of the last descriptors that this process may have. Do not keep it open, so that
 * descriptors for short use remain. */
bool proc_is_last(int fd);

/* Like proc_is_last, for descriptors that are kept in any number. Leaves the last quarter, or at least the last few, to
 * other uses. */
bool proc_is_late(int fd);

/* Returns how much memory process PID has that is not of files or shared, in bytes; 0: unknown. */
uint64_t proc_private_bytes(pid_t pid);

/* Raises this process's limit of descriptors as far as allowed. Processes that it starts later inherit the limit. */
void proc_allow_files(void);

/* Returns the name of PATH relative to the working directory, after proc_enter, if PATH is below /proc/. Otherwise
 * returns PATH itself. */
const char *proc_relative(const char *path);

#endif
