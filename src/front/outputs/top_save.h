/* SPDX-License-Identifier: MIT
 *
 * Writes files for `ptprofil top` on request. */
#ifndef OUTPUTS_TOP_SAVE_H
#define OUTPUTS_TOP_SAVE_H

#include "front/session/session.h"
#include "front/top/layout.h"

#include <stdbool.h>
#include <stddef.h>

/* A process that looks up names and writes the whole profile while sampling continues. {.news = -1}: no process. */
struct top_save {
    int news; /* its result arrives here; for poll(2) */
};

/* Writes a file. If the ending of PATH is one of text, writes SEEN, the view as text; otherwise starts writing the
 * whole profile of SESSION. Sets TEXT, of SIZE bytes, to a message for the user. */
void top_save_begin(struct top_save *save, struct session *session, const struct layout *seen, const char *path,
                    char *text, size_t size);

/* Sets TEXT to the result. WAIT: waits for it. Returns false if it is not known yet. */
bool top_save_end(struct top_save *save, bool wait, char *text, size_t size);

#endif
