/* SPDX-License-Identifier: MIT
 *
 * A separate process that reads names, so that sampling continues however large the files are. It gets requests for a
 * few places at a time, and its answers are stored in struct places. */
#ifndef TOP_NAMER_H
#define TOP_NAMER_H

#include "common/base/buffer.h"
#include "common/base/child.h"
#include "front/record/record.h"
#include "front/top/places.h"

#include <stdbool.h>
#include <stdint.h>

enum { NAMER_ASKED = 512 /* places at once */ };

/* {.socket = -1}: not started, or ended */
struct namer {
    int socket; /* for poll(2) with POLLIN */
    struct child child;
    uint32_t asked[NAMER_ASKED]; /* places in the present request, in order */
    size_t asked_count;          /* 0: no request */
    struct buffer answer;        /* the part of an answer received so far */
    struct {
        uint32_t *items;
        size_t count, room;
    } functions; /* functions of the places, by the process's numbers */
};

/* Starts the process as a child of this one. Returns 0 or -errno. */
int namer_start(struct namer *namer);

/* Requests names that PLACES lack, unless an answer is still expected. Without the process, the names become
 * "[unknown]". */
void namer_ask(struct namer *namer, struct places *places, const struct record *record);

/* Reads more of an answer. Returns true once the answer is complete. Places with a nonsensical answer, or without
 * the process, become "[unknown]". */
bool namer_take(struct namer *namer, struct places *places, const struct record *record);

/* Ends the process. */
void namer_end(struct namer *namer);

#endif
