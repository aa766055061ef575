/* SPDX-License-Identifier: MIT
 *
 * Reads profiles in any supported form: stored profiles, ptprofil's own and other programs' profiles in pprof's format,
 * and the text of `perf script`. */
#ifndef STORED_IMPORT_H
#define STORED_IMPORT_H

#include <stddef.h>

struct buffer;
struct builder;

struct error;

/* Adds the profile in FD, from its current position on, to INTO. It may be compressed. Sets NOTE, which may be NULL, to
 * a sentence about what was skipped or guessed, without its subject, the file's name; or to nothing. Returns 0, or
 * -errno with ERROR set as stored_read does; also -E2BIG if the file is too large, or an error of reading. */
int import_read(struct builder *into, int fd, struct buffer *note, struct error *error);

/* Reads FD from its current position to its end, decompresses the data if needed, and replaces the content of BYTES.
 * Returns 0, or -errno with ERROR set: -E2BIG if the data is larger than LIMIT bytes, -EBADMSG if it is damaged,
 * -ENOMEM, or an error of reading. The text of ERROR does not name the file. */
int gunzip_read(struct buffer *bytes, int fd, size_t limit, struct error *error);

/* Adds the stored profile in BYTES, which is not trusted, to INTO. Its CPU time is the value with that name, or another
 * time, or the number of samples multiplied by their period. Returns 0, or -errno with ERROR set: -EBADMSG if BYTES are
 * not such a profile or are damaged, -E2BIG if the profile is unreasonably large, or -ENOMEM. The text of ERROR follows
 * the file's name in a sentence. After a failure, only builder_finish may be called for INTO. */
int stored_read(struct builder *into, const struct buffer *bytes, struct error *error);

#endif
