/* SPDX-License-Identifier: MIT
 *
 * All messages of ptprofil. Only this module prints (tests/layers), because names of processes, files, profiles and
 * options come from strangers, and none of them may reach a terminal uncleaned. */
#ifndef TEXT_SAY_H
#define TEXT_SAY_H

#include <stdbool.h>
#include <stdio.h>

/* Writes one line to STREAM, at once: "ptprofil: ", the text and a newline. Whatever of the text a terminal could take
 * for more than text is escaped, as text_clean does. */
void say_line(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes TEXT to STREAM unchanged. TEXT must be ptprofil's own, without anything from outside. */
void say_own(FILE *stream, const char *text);

/* True if the locale uses UTF-8. */
bool say_utf8(void);

#endif
