/* SPDX-License-Identifier: MIT
 *
 * Prints all messages of ptprofil. No other module prints (tests/layers): names of processes, files, profiles and
 * options come from strangers, and must never reach a terminal uncleaned. */
#ifndef TEXT_SAY_H
#define TEXT_SAY_H

#include <stdbool.h>
#include <stdio.h>

/* Writes one line to STREAM at once: "ptprofil: ", the text and a newline. Escapes the text as text_clean does. */
void say_line(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes TEXT to STREAM unchanged. TEXT must be ptprofil's own. */
void say_own(FILE *stream, const char *text);

/* True if the locale uses UTF-8. */
bool say_utf8(void);

#endif
