/* SPDX-License-Identifier: MIT
 *
 * Reads texts of /proc that can make the reader wait without end: cmdline, environ and maps wait for the lock of the
 * process's memory map, which the process can hold. A child reads them, and is killed if it takes too long. */
#ifndef BASE_READER_H
#define BASE_READER_H

#include "common/base/buffer.h"
#include "common/base/child.h"

/* Zeroed: not used yet. */
struct reader {
    struct child child;
    int socket;       /* to the child */
    unsigned in_vain; /* reads that took too long */
};

/* Replaces TEXT's content with the first LIMIT bytes of PATH. Starts the child at the first use. Returns 0 or -errno:
 * -E2BIG for more than LIMIT bytes, -ETIMEDOUT if it takes longer than a second. After three of these, all reads fail
 * at once. */
int reader_read(struct reader *reader, const char *path, size_t limit, struct buffer *text);

/* Ends the child. The reader may be used again. */
void reader_end(struct reader *reader);

#endif
