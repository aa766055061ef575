/* SPDX-License-Identifier: MIT
 *
 * The lines of a source file. A stranger may have chosen its name, so only regular files are opened
 * (files/regular.h). */
#ifndef CODE_SOURCE_H
#define CODE_SOURCE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct viewer;

/* Zero it before the first use. */
struct source {
    char *text;              /* owned; each line ends with a 0 */
    const char **lines;      /* owned; line 1 is the first */
    size_t line_count;       /* 0: it could not be read */
    struct timespec changed; /* time of its last change, if it could be read */
};

/* Reads the source file PATH. A relative path begins in the working directory. An absolute path is that of a process
 * with the root directory ROOT ("": ours). Opens it with the rights of VIEWER (NULL: ours). Returns 0, or -errno with
 * SOURCE empty: -EINVAL not a regular file, -E2BIG too large for source, -ENOMEM, and others of opening. */
int source_read(struct source *source, const struct viewer *viewer, const char *root, const char *path);
void source_fini(struct source *source);

/* Splits TEXT into the lines of SOURCE, which becomes its owner. TEXT has LENGTH bytes, and room for a 0 after them.
 * Returns 0, or -ENOMEM. */
int source_split(struct source *source, char *text, size_t length);

/* Returns line NUMBER, or NULL if it does not exist. */
const char *source_line(const struct source *source, uint32_t number);

#endif
