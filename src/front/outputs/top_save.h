/* SPDX-License-Identifier: MIT
 *
 * Writes files for `ptprofil top` on request. */
#ifndef OUTPUTS_TOP_SAVE_H
#define OUTPUTS_TOP_SAVE_H

#include "front/outputs/background.h"

#include <stdbool.h>
#include <stddef.h>

struct layout;

/* {.background.news = -1}: nothing is being written. */
struct top_save {
    struct background background; /* it writes the whole profile while sampling continues */
    struct session *session;
    char *path; /* what it writes; owned */
};

/* Writes a file. If the ending of PATH is one of text, writes SEEN, the view as text; otherwise starts writing the
 * whole profile of SESSION. Sets TEXT, of SIZE bytes, to a message for the user. */
void top_save_begin(struct top_save *save, struct session *session, const struct layout *seen, const char *path,
                    char *text, size_t size);

/* Sets TEXT to the result. WAIT: waits for it. Returns false if it is not known yet. */
bool top_save_end(struct top_save *save, bool wait, char *text, size_t size);

#endif
