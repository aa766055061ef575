/* SPDX-License-Identifier: MIT
 *
 * Reads the tables of sampled files while the recording goes on, in another process. So names are there soon after its
 * end: to unpack the debug information of the C library takes as long as many commands run. */
#ifndef NAMING_AHEAD_H
#define NAMING_AHEAD_H

#include "front/naming/name_server.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record;

enum { NAMING_AHEAD_MOST = 8 }; /* files; later ones are read at the end */

struct naming_ahead {
    struct name_server server; /* for naming_profile; runs from the first sample in a file on */
    uint32_t objects[NAMING_AHEAD_MOST];
    size_t count; /* of the objects, whose tables have been asked for */
    size_t nodes; /* of the record, that were looked at */
    bool over;    /* no more objects are looked for */
};

/* No process. */
#define NAMING_AHEAD_NONE                                                                                              \
    {                                                                                                                  \
        .server = NAME_SERVER_NONE                                                                                     \
    }

/* Lets the process read the files that RECORD has samples in since the last call. Never waits. */
void naming_ahead_turn(struct naming_ahead *ahead, const struct record *record);

/* Ends the process. */
void naming_ahead_end(struct naming_ahead *ahead);

#endif
