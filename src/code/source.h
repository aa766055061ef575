/* SPDX-License-Identifier: MIT
 *
 * The lines of a source file. Its name is a stranger's word: only regular files are opened (files/regular.h). */
#ifndef CODE_SOURCE_H
#define CODE_SOURCE_H

#include "base/viewer.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Zero it before the first use. */
struct source {
    char *text;              /* owned; each line ends with a 0 */
    const char **lines;      /* owned; line 1 is the first */
    size_t line_count;       /* 0: it could not be read */
    struct timespec changed; /* when, if it could be read */
};

/* Reads the source file PATH. A relative path is taken from the working directory, an absolute one as a process with
 * the root directory ROOT sees it ("": ours). Opens it by the rights of VIEWER (NULL: ours). Returns 0, or -errno
 * with SOURCE empty: -EINVAL not a regular file, -E2BIG too large for source, -ENOMEM, and others of opening. */
int source_read(struct source *source, const struct viewer *viewer, const char *root, const char *path);
void source_fini(struct source *source);

/* Makes TEXT, of LENGTH bytes and with room for a 0 behind them, the lines of SOURCE, which takes it over. Returns 0,
 * or -ENOMEM. */
int source_take(struct source *source, char *text, size_t length);

/* Line NUMBER, or NULL if none exists. */
const char *source_line(const struct source *source, uint32_t number);

#endif
