/* SPDX-License-Identifier: MIT
 *
 * Opens files for the process that reads names. What it asks for is not trusted: strangers' files may rule it. */
#ifndef NAMING_NAME_OPEN_H
#define NAMING_NAME_OPEN_H

#include <stdbool.h>

struct viewer;

/* Of the object in question. */
struct name_opener {
    const struct viewer *viewer;
    const char *root;
};

/* Answers one question (struct fetch_question) that waits on SOCKET. Opens only regular ELF files, with the rights of
 * the viewer. Returns false if the other side is gone. */
bool name_open_answer(int socket, const struct name_opener *opener);

#endif
