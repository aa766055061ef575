/* SPDX-License-Identifier: MIT
 *
 * What the harnesses have in common. An input is taken apart from its front with a cursor, which gives zeros
 * when there is no more. Memory is always of exactly the size that is meant, for AddressSanitizer to see the
 * byte behind it. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* libFuzzer calls it with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* What holds whatever the input is. */
#define FUZZ_EXPECT(condition)                                                                                         \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline struct cursor fuzz_input(const uint8_t *bytes, size_t size)
{
    return (struct cursor){.at = bytes, .end = bytes + size};
}

/* A number of SIZE bytes, less than LIMIT, which is not 0. */
static inline uint64_t fuzz_below(struct cursor *input, size_t size, uint64_t limit)
{
    return cursor_number(input, size) % limit;
}

/* The next SIZE bytes, or as many as there are: *SIZE is set to that. The caller frees them. */
static inline uint8_t *fuzz_copy(struct cursor *input, size_t *size)
{
    uint8_t *copy;

    if (*size > cursor_left(input))
        *size = cursor_left(input);
    copy = malloc(*size ? *size : 1);
    FUZZ_EXPECT(copy);
    if (*size)
        memcpy(copy, cursor_take(input, *size), *size);
    return copy;
}

/* All that is left, as a text: it may hold more zeros than the one at its end. The caller frees it. */
static inline char *fuzz_text(struct cursor *input)
{
    size_t left = cursor_left(input);
    char *text = malloc(left + 1);

    FUZZ_EXPECT(text);
    if (left)
        memcpy(text, cursor_take(input, left), left);
    text[left] = 0;
    return text;
}

/* A file that holds the SIZE bytes; the caller closes it. */
static inline int fuzz_file(const void *bytes, size_t size)
{
    int fd = memfd_create("input", MFD_CLOEXEC);

    FUZZ_EXPECT(fd >= 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
    return fd;
}

#endif
