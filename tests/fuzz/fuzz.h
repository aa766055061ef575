/* SPDX-License-Identifier: MIT
 *
 * Helpers of all harnesses. A cursor reads the input from its front, and returns zeros after its end. Each
 * allocation has exactly the size that it needs, so that AddressSanitizer reports a read of the next byte. */
#ifndef FUZZ_H
#define FUZZ_H

#include "common/base/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Aborts unless CONDITION, which must hold for any input. */
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

/* Reads SIZE bytes as a number and reduces it below LIMIT, which must not be 0. */
static inline uint64_t fuzz_below(struct cursor *input, size_t size, uint64_t limit)
{
    return cursor_number(input, size) % limit;
}

/* Copies the next *SIZE bytes. Lowers *SIZE if fewer are left. The caller frees the copy. */
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

/* Returns the remainder of the input as a string, which may contain null bytes. The caller frees it. */
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

/* Returns a file with SIZE bytes of content. The caller closes it. */
static inline int fuzz_file(const void *bytes, size_t size)
{
    int fd = memfd_create("input", MFD_CLOEXEC);

    FUZZ_EXPECT(fd >= 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size);
    return fd;
}

#endif
