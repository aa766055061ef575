/* SPDX-License-Identifier: MIT
 *
 * Output files. They are opened before the command runs, so that errors are reported at once, and written at the end.
 * The old content stays until all of the new content is there, if a new file can replace the old one. For that, the old
 * file must have one name, must not be a mount point, and must not have attributes that a new file would lack.
 * Otherwise the file is written in place. A new file that could not be written completely is removed again. A file that
 * was removed since its opening is created again. */
#ifndef OUTPUTS_FILE_H
#define OUTPUTS_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Before file_open, or after file_end: {.fd = -1}. */
struct file {
    int fd;          /* while open, and not owned by a stream; otherwise -1 */
    bool standard;   /* our caller opened it, for example as standard output: it may contain other output */
    bool created;    /* we created the file */
    char *place;     /* absolute path of a regular file, with links resolved; NULL: another kind of file, or unknown;
                      * owned */
    char *temporary; /* path of the new file that will replace it; or NULL; owned */
};

/* Opens PATH ("-": standard output) for writing as a shell's redirection would, but without changing its content. If
 * our caller has the file open for writing on one of our descriptors (/dev/stdout, /dev/fd/3), writes through that
 * descriptor. Returns 0, or -errno with nothing open; -EACCES if planted_is, or if PATH is planted_is_link. Close the
 * file with file_finish or file_end. */
int file_open(struct file *file, const char *path);

/* Returns true if FILE is an open regular file that our caller did not open. */
bool file_is_regular(const struct file *file);

/* Returns true if ONE and OTHER are open on one regular file, which our caller did not open: the later output would
 * replace the earlier. */
bool file_is_same(const struct file *one, const struct file *other);

/* Returns a stream for the new content; end it with file_finish. Returns NULL with errno set, and closes FILE as
 * file_end does. */
FILE *file_begin(struct file *file);

/* Closes STREAM, which belongs to FILE. RESULT: 0, or -errno if the content could not be written. Returns RESULT, or,
 * if that is 0, the result of closing: 0 or -errno. */
int file_finish(struct file *file, FILE *stream, int result);

/* Returns true if the content of FILE can be replaced at once, again and again, by versions before the last one:
 * another file may take its place, and only its name leads to it. */
bool file_has_versions(const struct file *file);

/* Write a version that is not the last one. file_begin_version returns a stream for it, or NULL with errno set.
 * file_finish_version ends it. RESULT: 0, or -errno if the content could not be written. It returns RESULT, or, if that
 * is 0, the result of replacing: 0 or -errno. On failure the file keeps its content. FILE stays open. Both may be
 * called in a child of the process that opened FILE. Then that process calls file_follow, which opens the file that has
 * taken its place, if any, and returns 0 or -errno. */
FILE *file_begin_version(struct file *file);
int file_finish_version(struct file *file, FILE *stream, int result);
int file_follow(struct file *file);

/* Closes FILE if it is open, and keeps its content. ABANDON: removes the file if we created it. FILE may have no
 * file. */
void file_end(struct file *file, bool abandon);

#endif
