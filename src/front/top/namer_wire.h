/* SPDX-License-Identifier: MIT
 *
 * The protocol between the front and the process that reads names, on a stream socket. */
#ifndef TOP_NAMER_WIRE_H
#define TOP_NAMER_WIRE_H

#include <stdint.h>

/* Followed by the path and the root of the object, each with its 0, and the addresses. Sent with a descriptor of the
 * object, if there is one. */
struct namer_question {
    uint32_t object; /* number */
    uint32_t kind;   /* enum object_kind */
    uint32_t count;  /* number of addresses, which are sorted */
    uint32_t path_size, root_size;
    uint32_t deleted;
};

enum { NAMER_TEXT_MOST = 8192, NAMER_FRAMES_MOST = 64 /* of a place */ };

/* An answer consists of its size in 4 bytes (without these), functions that were not sent before, numbered from 0, and
 * a place for each address. */
enum namer_entry_type { NAMER_FUNCTION, NAMER_PLACE };

struct namer_entry {
    uint32_t type;
    uint32_t size;  /* bytes that follow: for a function its name and its module, each with its 0; for a place the
                     * numbers of its functions, 4 bytes each, innermost first */
    uint32_t fixed; /* for a function: its name does not come from a symbol table */
};

/* Answers requests on SOCKET until its other end is closed. Call it in a process of its own. */
void namer_serve(int socket);

#endif
