/* SPDX-License-Identifier: MIT
 *
 * `ptprofil top`: a profile is looked at while it is taken. */
#ifndef CLI_TOP_H
#define CLI_TOP_H

#include "session/session.h"
#include "cli/top_save.h"
#include "cli/top_terminal.h"
#include "top/layout.h"
#include "top/live.h"
#include "top/namer.h"
#include "top/places.h"
#include "top/screen.h"
#include "top/board.h"

/* Zero it before top_start. */
struct top {
    const struct options *options;
    struct session *session;
    struct top_terminal terminal;
    struct screen *screen; /* NULL: tables are printed */
    FILE *tables;
    struct live live;
    struct live_picture picture;
    struct places places;
    struct namer namer;
    unsigned restarts; /* of it */
    struct board board;
    struct layout layout;
    struct view view;
    struct top_save save;
    uint64_t next_ns, table_ns; /* monotonic: when the next slot ends, and when the next table is printed */
    uint64_t names_ns;          /* and when names may be asked for again */
    unsigned width, height;
    bool ended, leave;
    char state[128]; /* why it has ended */
};

/* Starts as session_start does, with the same arguments and results, and opens the screen or its replacement. */
int top_start(struct top *top, struct session *session, const struct options *options, struct record *record,
              char *title, size_t title_size, struct error *error);

/* Shows the profile until the user leaves, or without a screen until sampling ends. Attached processes have been
 * released by then, and a command has ended. */
void top_run(struct top *top);

/* To be called whatever top_start returned. Gives the terminal back. */
void top_free(struct top *top);

#endif
