/* SPDX-License-Identifier: MIT
 *
 * What ptprofil says to people. Names of processes, files and profiles come from strangers, and the options from
 * anywhere: nothing else prints (tests/layers), so that none of them reaches a terminal as it is. */
#ifndef TEXT_SAY_H
#define TEXT_SAY_H

#include <stdbool.h>
#include <stdio.h>

/* Writes one line to STREAM, at once: "ptprofil: ", the text and a newline. Whatever of the text a terminal could take
 * for more than text is escaped, as text_clean does. */
void say_line(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes TEXT, which is ptprofil's own and holds nothing from outside, to STREAM as it is. */
void say_own(FILE *stream, const char *text);

/* True if the locale's characters are those of UTF-8. */
bool say_utf8(void);

#endif
