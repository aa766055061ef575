/* SPDX-License-Identifier: MIT
 *
 * What the processes that find names say to each other:
 * - this one asks (name_server.c),
 * - the relay (name_relay.c), a child, opens files and keeps the reader running,
 * - the reader (name_keeper.c), the relay's child, parses strangers' files and has no rights. */
#ifndef NAMING_NAME_WIRE_H
#define NAMING_NAME_WIRE_H

#include "common/base/viewer.h"

#include <stdbool.h>
#include <stdint.h>

enum { NAME_TEXT_MOST = 8192, NAME_ASKED_MOST = 1 << 22, NAME_ANSWER_MOST = 512 << 20 };

enum name_what {
    NAME_PLACES,       /* the names of the offsets */
    NAME_AHEAD,        /* nothing: only read the tables, without a reply */
    NAME_UNWIND_TABLE, /* its .debug_frame, unpacked */
};

/* Behind it: the path and the root of the object, and the real path of its descriptor, each with its 0, and the
 * offsets. With a descriptor of the object, if it has one. */
struct name_question {
    uint32_t what;  /* enum name_what */
    uint32_t kind;  /* enum object_kind */
    uint32_t count; /* of the offsets, sorted */
    uint32_t path_size, root_size;
    uint32_t place_size; /* only for the reader; 0: nothing */
    uint32_t deleted;
    uint32_t without_lines; /* for the reader: they have ended it before */
    uint32_t connection;    /* for the reader: the number of the asking process */
    struct viewer viewer;
};

/* Behind it: SIZE bytes for name_answer_read, or of the table. */
struct name_reply {
    uint64_t size;
    uint64_t cpu_ns; /* of the answer, measured by the relay. From the reader: not 0 if it should be replaced */
};

/* How a reader is run. */
struct name_reader {
    int questions, files; /* sockets */
    uint64_t most_bytes;  /* of memory to keep; 0: it keeps nothing */
    uid_t user;           /* that root changes to */
    gid_t group;
};

/* The work of the relay, a child: serves connections that arrive by CONTROL, a SOCK_SEQPACKET. Returns
 * when the other end of CONTROL is closed. */
int name_relay_serve(int control, const struct name_reader *like);

/* The work of the reader, a child: gives up its rights, and answers. ARGUMENT: a struct name_reader. Returns when the
 * relay closes its end, or should start another one. */
int name_keeper_serve(void *argument);

/* Takes all rights from this process that a reader does not need. Returns the refused parts, see confine_begin. */
unsigned name_confine(const struct name_reader *reader);

#endif
