/* SPDX-License-Identifier: MIT
 *
 * Output files. They are opened before the command runs, so that errors are reported at once, and written at the
 * end. The old content stays until all of the new content is there, if a new file can replace the old one: this must
 * not be a mount point, must have one name, and must not have attributes that a new file would lack. Otherwise the
 * file is written in place. A new file is removed again if it could not be written completely. A file that was
 * removed since is created again. */
#ifndef SESSION_FILE_H
#define SESSION_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Before file_open, or after file_end: {.fd = -1}. */
struct file {
    int fd;        /* while open and not owned by a stream; else -1 */
    bool standard; /* our caller opened it, as standard output: it may hold what others wrote */
    bool created;  /* we created the file */
    char *place; /* absolute path of a regular file, where links to it lead; NULL: another kind, or not known; owned */
    char *temporary; /* path of the new file that will replace it; or NULL; owned */
};

/* Opens PATH ("-": standard output) for writing as a shell's redirection would, but without changing its content. A
 * file that our caller has open for writing on one of our descriptors (/dev/stdout, /dev/fd/3) is written through
 * that descriptor. Returns 0, or -errno with nothing open; -EACCES if file_is_planted. Close the file by file_finish
 * or file_end. */
int file_open(struct file *file, const char *path);

/* True if FD, which may be an O_PATH descriptor, is a regular file or a FIFO of another user in a folder like /tmp:
 * it may have been put there to be written to by us. The kernel refuses to open it with O_CREAT, unless
 * fs.protected_regular and fs.protected_fifos are 0. */
bool file_is_planted(int fd);

/* True if it is an open regular file, and not our caller's. */
bool file_is_regular(const struct file *file);

/* True if ONE and OTHER are open on one regular file, which is not our caller's: the later would replace the earlier.
 */
bool file_is_same(const struct file *one, const struct file *other);

/* A stream for the new content. Its end is file_finish. NULL with errno set: FILE is closed as by file_end. */
FILE *file_begin(struct file *file);

/* Closes STREAM, which is FILE's. RESULT: 0, or -errno if the content could not be written. Returns RESULT, or if that
 * is 0 what closing gave: 0 or -errno. */
int file_finish(struct file *file, FILE *stream, int result);

/* True if another file may take the place of FILE, which nobody but its name leads to, so that its content can be
 * replaced at once, again and again, before the last version of it is there. */
bool file_has_versions(const struct file *file);

/* A stream for a version that is not the last one. NULL with errno set. Its end is file_finish_version: RESULT is 0, or
 * -errno if the content could not be written. Returns RESULT, or if that is 0 what became of it: 0 or -errno; then the
 * file holds what it held. FILE stays open. Both may be called in a child of the process that opened it, which calls
 * file_follow afterwards: it opens the file that has taken the place, if one has. That returns 0 or -errno. */
FILE *file_begin_version(struct file *file);
int file_finish_version(struct file *file, FILE *stream, int result);
int file_follow(struct file *file);

/* Closes FILE if it is open, and keeps its content. ABANDON: removes the file if we created it. A FILE without a
 * file is allowed. */
void file_end(struct file *file, bool abandon);

#endif
