/* SPDX-License-Identifier: MIT
 *
 * Asks another process for names, a few places at a time, and stores them in struct places. So sampling continues
 * however large the files are. */
#ifndef TOP_NAMER_H
#define TOP_NAMER_H

#include "front/naming/name_server.h"
#include "front/record/record.h"

#include <stdbool.h>
#include <stdint.h>

struct places;

enum { NAMER_ASKED = 512 /* places at once */, NAMER_RESTARTS = 3 };

/* {.server = NAME_SERVER_NONE}: not started */
struct namer {
    struct name_server server;
    unsigned restarts, questions; /* numbers so far */
    uint32_t asked[NAMER_ASKED];  /* places in the present request, in order */
    size_t asked_count;           /* 0: no request */
    struct buffer answer;         /* the part of an answer received so far */
};

/* Starts the process. If that fails, namer_ask tries again. */
void namer_start(struct namer *namer);

/* Requests names that PLACES lack, unless an answer is still expected. Starts a process that has ended again, at most
 * NAMER_RESTARTS times; then names become "[unknown]". Never waits. */
void namer_ask(struct namer *namer, struct places *places, const struct record *record);

/* Returns the descriptor for poll(2) with POLLIN; -1 if no answer is expected. */
int namer_socket(const struct namer *namer);

/* Reads more of an answer. Returns true once the answer is complete, or none will come. Places with a nonsensical
 * answer, or without one, become "[unknown]". */
bool namer_take(struct namer *namer, struct places *places, const struct record *record);

/* Ends the process. */
void namer_end(struct namer *namer);

#endif
