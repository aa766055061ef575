/* SPDX-License-Identifier: MIT
 *
 * What the front and the process that reads names say to each other on a stream socket. */
#ifndef TOP_NAMER_WIRE_H
#define TOP_NAMER_WIRE_H

#include <stdint.h>

/* Behind it: the path and the root of the object, each with its 0, and the addresses. With a descriptor of the object,
 * if it has one. */
struct namer_question {
    uint32_t object; /* number */
    uint32_t kind;   /* enum object_kind */
    uint32_t count;  /* of the addresses, sorted */
    uint32_t path_size, root_size;
    uint32_t deleted;
};

enum { NAMER_TEXT_MOST = 8192, NAMER_FRAMES_MOST = 64 /* of a place */ };

/* An answer is its size in 4 bytes, not counting these, and entries: functions not sent before, numbered from 0, and
 * a place for each address. */
enum namer_entry_type { NAMER_FUNCTION, NAMER_PLACE };

struct namer_entry {
    uint32_t type;
    uint32_t size;  /* of what follows: two texts, the function's name and its module, each with its 0; or numbers of
                       functions,  of 4 bytes, innermost first */
    uint32_t fixed; /* of a function: its name is not from a symbol table */
};

/* Answers questions on SOCKET until its other end is closed. For a process of its own, which does nothing else. */
void namer_serve(int socket);

#endif
