/* SPDX-License-Identifier: MIT
 *
 * What name_server.c and the process that reads names say to each other. */
#ifndef NAMING_NAME_WIRE_H
#define NAMING_NAME_WIRE_H

#include "common/base/viewer.h"

#include <stdint.h>

enum { NAME_TEXT_MOST = 8192, NAME_ASKED_MOST = 1 << 20 };

/* Behind it: the path and the root of the object, each with its 0, and the offsets. With a descriptor of the object,
 * if it has one. */
struct name_question {
    uint32_t kind;  /* enum object_kind */
    uint32_t count; /* of the offsets, sorted; 0: only read its tables, without a reply */
    uint32_t path_size, root_size;
    uint32_t deleted;
    struct viewer viewer;
};

/* Behind it: SIZE bytes for name_answer_read. */
struct name_reply {
    uint64_t size;
    uint64_t cpu_ns; /* CPU time of the answer */
};

/* Takes connections on the socket CONTROL, and answers questions. Keeps at most about MOST_BYTES. Returns 0 if the
 * other end of CONTROL is closed, 1 if it should be started again. For a process of its own, which does nothing else.
 */
int name_keeper_serve(int control, uint64_t most_bytes);

#endif
