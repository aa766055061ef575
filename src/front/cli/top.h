/* SPDX-License-Identifier: MIT
 *
 * `ptprofil top`: shows a profile while it is recorded. */
#ifndef CLI_TOP_H
#define CLI_TOP_H

#include "front/cli/top_terminal.h"
#include "front/outputs/top_save.h"
#include "front/top/board.h"
#include "front/top/layout.h"
#include "front/top/live.h"
#include "front/top/namer.h"
#include "front/top/places.h"
#include "front/top/view.h"

#include <stdio.h>

/* Zero it before top_start. */
struct top {
    const struct options *options;
    struct session *session;
    struct top_terminal terminal;
    struct screen *screen; /* NULL: prints tables instead */
    FILE *tables;
    struct live live;
    struct live_picture picture;
    struct places places;
    struct namer namer;
    struct board board;
    struct layout layout;
    struct view view;
    struct top_save save;
    uint64_t next_ns, table_ns; /* monotonic times: end of the present slot, next table, */
    uint64_t names_ns;          /* and next request for names */
    unsigned width, height;
    bool ended, leave;
    char state[128]; /* why sampling has ended */
};

/* Starts like session_start, with the same arguments and results, and opens the screen or its replacement. */
int top_start(struct top *top, struct session *session, const struct options *options, struct record *record,
              char *title, size_t title_size, struct error *error);

/* Shows the profile until the user leaves, or, without a screen, until sampling ends. At its return, attached processes
 * are released, and a command has ended. */
void top_run(struct top *top);

/* Restores the terminal. Call it whatever top_start returned. */
void top_free(struct top *top);

#endif
