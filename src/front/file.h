/* SPDX-License-Identifier: MIT
 *
 * Files that are written at the end, and opened before anything is run, so that what cannot be written is
 * known then. */
#ifndef FRONT_FILE_H
#define FRONT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Opens PATH ("-": standard output) for writing, without touching what it holds. Returns a close-on-exec
 * descriptor, with *CREATED set if there was no such file before, or -1 with errno set. */
int file_open(const char *path, bool *created);

/* True if FD is a regular file. */
bool file_is_regular(int fd);

/* A stream that takes FD over, at the beginning of an empty file. NULL with errno set, FD closed; also if FD
 * is -1. */
FILE *file_stream(int fd);

/* Closes STREAM. Returns RESULT, or if that is 0 what closing gave: 0 or -errno. */
int file_finish(FILE *stream, int result);

#endif
