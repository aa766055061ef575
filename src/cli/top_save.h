/* SPDX-License-Identifier: MIT
 *
 * What `ptprofil top` writes when it is asked to. */
#ifndef CLI_TOP_SAVE_H
#define CLI_TOP_SAVE_H

#include "session/session.h"
#include "top/layout.h"

#include <stdbool.h>
#include <stddef.h>

/* A process that looks up names and writes the whole profile while sampling continues. None: {.news = -1}. */
struct top_save {
    int news; /* where it reports its result; to poll */
};

/* Writes SEEN, the view as text, if that is what the ending of PATH asks for, or has the whole profile of SESSION
 * written, as from another format's. Sets TEXT, of SIZE bytes, to what can be said of it now. */
void top_save_begin(struct top_save *save, struct session *session, const struct layout *seen, const char *path,
                    char *text, size_t size);

/* Sets TEXT to the result. With WAIT, waits for it. False if it is not known yet. */
bool top_save_end(struct top_save *save, bool wait, char *text, size_t size);

#endif
