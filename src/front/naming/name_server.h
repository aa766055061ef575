/* SPDX-License-Identifier: MIT
 *
 * A process that looks up names for a profile after another. It keeps what it has read of files, within bounds, so that
 * a later profile costs only what is new in it. It reads untrusted files: its answers are checked, and if it dies it
 * is started again. */
#ifndef NAMING_NAME_SERVER_H
#define NAMING_NAME_SERVER_H

#include "common/base/child.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;
struct object;

struct name_server {
    int socket; /* takes connections; -1: nothing runs */
    struct child child;
    int connection;  /* of this process; -1: none */
    uint64_t cpu_ns; /* CPU time of the answers to this process */
};

/* No process. */
#define NAME_SERVER_NONE                                                                                               \
    {                                                                                                                  \
        .socket = -1, .connection = -1                                                                                 \
    }

/* Starts the process, which keeps at most about MOST_BYTES in memory, and gets less CPU time than others if it is
 * IN_BACKGROUND. Call it while this process is small, because the other one begins as its copy. Returns 0 or -errno;
 * SERVER is then unused. */
int name_server_start(struct name_server *server, uint64_t most_bytes, bool in_background);

/* Asks for names of the COUNT OFFSETS of OBJECT, no script, which are sorted. May be called in children of the
 * process that started it. Sets ANSWER to bytes for name_answer_read. Returns false if no answer comes. */
bool name_server_ask(struct name_server *server, const struct object *object, const uint64_t *offsets, uint32_t count,
                     struct buffer *answer);

/* The same in two steps. name_server_send sends the question; unless it WAITS, the question must be short. If it
 * returns false, no answer will come. name_server_receive never waits: it appends to ANSWER, which is empty at first,
 * what has arrived since the last call. Returns 0 when ANSWER is complete, -EAGAIN before that, or -EPIPE if no more
 * will come. server->connection is for poll(2) with POLLIN. */
bool name_server_send(struct name_server *server, const struct object *object, const uint64_t *offsets, uint32_t count,
                      bool waits);
int name_server_receive(struct name_server *server, struct buffer *answer);

/* Lets the process read the tables of OBJECT before a question about it comes. Never waits. Returns false if it cannot
 * be asked. */
bool name_server_read_ahead(struct name_server *server, const struct object *object);

/* Ends the connection of this process, if there is one. What follows uses another one. */
void name_server_hang_up(struct name_server *server);

/* Ends the process. Does nothing if none runs. */
void name_server_end(struct name_server *server);

#endif
