/* SPDX-License-Identifier: MIT
 *
 * Error values. Inside, a function that can fail returns 0 or a negative errno; where a reader will need to know
 * more than the number, it also fills a struct error with a text that says what failed, on what, why, and what to
 * do. Nothing below the front prints one. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>

struct error {
    int errnum;     /* positive errno, 0 while unset */
    char text[640]; /* no newline at the end */
};

/* Sets ERROR, unless it is NULL or already set (the first error is the one to show), to ERRNUM (positive) and the
 * formatted text. Returns -ERRNUM, so that callers can write `return error_set(...)`. */
int error_set(struct error *error, int errnum, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* As error_set, and appends ": " and the text of ERRNUM. */
int error_system(struct error *error, int errnum, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
