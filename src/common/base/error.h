/* SPDX-License-Identifier: MIT
 *
 * Error values. A function that can fail returns 0 or a negative errno. If the user needs to know more, it also fills a
 * struct error: what failed, on what, why, and what to do. Only the front prints errors. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>

struct error {
    int errnum;     /* positive errno, 0 while unset */
    char text[640]; /* no newline at the end */
};

/* Sets ERROR to ERRNUM (positive) and the formatted text. Does nothing if ERROR is NULL or already set, because the
 * first error is the one to show. Returns -ERRNUM, so that callers can write `return error_set(...)`. */
int error_set(struct error *error, int errnum, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* As error_set, and appends ": " and the text of ERRNUM. */
int error_system(struct error *error, int errnum, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
