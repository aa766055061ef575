/* SPDX-License-Identifier: MIT
 *
 * A log of calls to a test's replacement functions, as one line. */
#ifndef UNIT_LOG_H
#define UNIT_LOG_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char log_text[4000];

/* Appends a text, and "; ". */
__attribute__((format(printf, 1, 2))) static inline void note(const char *format, ...)
{
    size_t length = strlen(log_text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(log_text + length, sizeof log_text - length, format, arguments);
    va_end(arguments);
    strncat(log_text, "; ", sizeof log_text - strlen(log_text) - 1);
}

#endif
