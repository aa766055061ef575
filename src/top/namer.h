/* SPDX-License-Identifier: MIT
 *
 * Names are read by a process of its own, so that samples are taken on meanwhile, however large the files are: it is
 * asked for those of a few places at a time, and what it answers is put into struct places. */
#ifndef TOP_NAMER_H
#define TOP_NAMER_H

#include "base/buffer.h"
#include "base/child.h"
#include "record/record.h"
#include "top/places.h"

#include <stdbool.h>
#include <stdint.h>

enum { NAMER_ASKED = 512 /* places at once */ };

/* One that has not been started, or has ended: {.socket = -1}. */
struct namer {
    int socket; /* to be waited for: poll(2) for POLLIN */
    struct child child;
    uint32_t asked[NAMER_ASKED]; /* places, in the order of the question */
    size_t asked_count;          /* 0: it has nothing to do */
    struct buffer answer;        /* what has come of it */
    struct {
        uint32_t *items;
        size_t count, room;
    } functions; /* of the places' functions, by the process's numbers */
};

/* Starts the process; its parent is this one. Returns 0 or -errno. */
int namer_start(struct namer *namer);

/* Asks for names that PLACES lack, unless there is an answer to wait for. Without the process they are "[unknown]". */
void namer_ask(struct namer *namer, struct places *places, const struct record *record);

/* Takes what has come of an answer. True if it has come whole. Places for which it makes no sense, or whose process has
 * gone, are "[unknown]" from then on. */
bool namer_take(struct namer *namer, struct places *places, const struct record *record);

/* Ends the process. */
void namer_end(struct namer *namer);

#endif
