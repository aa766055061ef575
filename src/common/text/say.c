/* SPDX-License-Identifier: MIT */
#include "common/text/say.h"

#include "common/base/buffer.h"
#include "common/text/text.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool say_utf8(void)
{
    return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

void say_own(FILE *stream, const char *text)
{
    fputs(text, stream);
}

void say_line(FILE *stream, const char *format, ...)
{
    struct buffer line = {0};
    char *text = NULL;
    va_list values;
    va_start(values, format);
    int length = vasprintf(&text, format, values);
    va_end(values);
    buffer_puts(&line, "ptprofil: ");
    text_clean(&line, length < 0 ? "out of memory" : text, say_utf8());
    buffer_puts(&line, "\n");
    say_own(stream, line.failed ? "ptprofil: out of memory\n" : line.bytes);
    buffer_fini(&line);
    if (length >= 0)
        free(text);
}
