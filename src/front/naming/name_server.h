/* SPDX-License-Identifier: MIT
 *
 * Looks up names in strangers' files, by a process without rights that parses them: the reader. It keeps what it has
 * read of files, within bounds, so that a later profile costs only what is new in it. Its answers are checked, and if
 * it dies it is started again. Another process, the relay, opens files for it. */
#ifndef NAMING_NAME_SERVER_H
#define NAMING_NAME_SERVER_H

#include "common/base/child.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* Starts the relay, which starts the reader at the first question. The reader keeps at most about MOST_BYTES in memory,
 * nothing if that is 0, and gets less CPU time than others if it is IN_BACKGROUND. Call it while this process is small,
 * because the other one begins as its copy. Returns 0 or -errno; SERVER is then unused. */
int name_server_start(struct name_server *server, uint64_t most_bytes, bool in_background);

/* Asks for names of the COUNT OFFSETS of OBJECT, no script, which are sorted. May be called in children of the
 * process that started it. Sets ANSWER to bytes for name_answer_read. Returns false if no answer comes. */
bool name_server_ask(struct name_server *server, const struct object *object, const uint64_t *offsets, uint32_t count,
                     struct buffer *answer);

/* The same in two steps. name_server_send sends the question; unless it WAITS, the question must be short. If it
 * returns false, no answer will come. name_server_receive never waits: it appends to ANSWER, which is empty at first,
 * the bytes that have arrived since the last call. Returns 0 when ANSWER is complete, -EAGAIN before that, or -EPIPE if
 * the connection has ended. server->connection is for poll(2) with POLLIN. */
bool name_server_send(struct name_server *server, const struct object *object, const uint64_t *offsets, uint32_t count,
                      bool waits);
int name_server_receive(struct name_server *server, struct buffer *answer);

/* Sets ANSWER to the unpacked .debug_frame of the ELF file FD, or to nothing if it has none. Returns false if no answer
 * comes in some seconds. */
bool name_server_ask_table(struct name_server *server, int fd, struct buffer *answer);

/* Lets the process read the tables of OBJECT before a question about it comes. Never waits. Returns false if it cannot
 * be asked. */
bool name_server_read_ahead(struct name_server *server, const struct object *object);

/* The user that readers run as if this process is root; before the first start. The default is nobody. */
void name_server_read_as(uid_t user, gid_t group);

/* Tries in a child what a reader gives up. Returns the parts that are refused here, see confine/confine.h. */
unsigned name_server_refused(void);

/* Returns true if SERVER is dead: another program has ended its process. */
bool name_server_is_gone(struct name_server *server);

/* Ends the connection of this process, if there is one. What follows uses another one. */
void name_server_hang_up(struct name_server *server);

/* Ends the process. Does nothing if none runs. */
void name_server_end(struct name_server *server);

#endif
