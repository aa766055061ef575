/* SPDX-License-Identifier: MIT */
#include "common/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *error, int errnum, const char *format, ...)
{
    if (error && !error->errnum) {
        va_list args;
        va_start(args, format);
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
        error->errnum = errnum;
    }
    return -errnum;
}

int error_system(struct error *error, int errnum, const char *format, ...)
{
    if (error && !error->errnum) {
        va_list args;
        va_start(args, format);
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
        size_t used = strlen(error->text);
        snprintf(error->text + used, sizeof error->text - used, ": %s", strerror(errnum));
        error->errnum = errnum;
    }
    return -errnum;
}
