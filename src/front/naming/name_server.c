/* SPDX-License-Identifier: MIT */
#include "front/naming/name_server.h"

#include "common/base/proc.h"
#include "common/base/socket.h"
#include "front/naming/name_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    ANSWER_MOST = 256 << 20,
    PATIENCE_SECONDS = 600, /* more than a file with much debug information takes */
    NICENESS = 10,          /* as the process that writes an interval */
};

struct start {
    int socket;
    uint64_t most_bytes;
};

static int serve(void *argument)
{
    const struct start *start = argument;
    return name_keeper_serve(start->socket, start->most_bytes);
}

static void step_back(void)
{
    const struct sched_param none = {0};
    int score = proc_open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0 && write(score, "1000", 4) > 0)
        close(score);
    sched_setscheduler(0, SCHED_BATCH, &none);
    setpriority(PRIO_PROCESS, 0, NICENESS);
}

/* A file can be too much for the process that reads it, and it must not grow without end. So this process, which stays
 * as small as it was, starts another one whenever one has ended. */
static int watch_over(void *argument)
{
    struct start *start = argument;
    struct child child;
    if (!child_keep(&start->socket, 1, true))
        return 1;
    step_back();
    while (child_start(&child, "pt-names", serve, start) == 0)
        if (child_wait(&child) == 0)
            return 0;
    return 1;
}

int name_server_start(struct name_server *server, uint64_t most_bytes)
{
    int pair[2];
    *server = (struct name_server)NAME_SERVER_NONE;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    struct start start = {pair[1], most_bytes};
    int result = child_start(&server->child, "pt-names", watch_over, &start);
    close(pair[1]);
    if (result < 0)
        close(pair[0]);
    else
        server->socket = pair[0];
    return result;
}

/* Each process that asks has a connection of its own: if it is killed, the next one begins anew. */
static bool connect_to(struct name_server *server)
{
    const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    int pair[2];
    char byte = 0;
    struct iovec part = {&byte, 1};
    if (server->connection >= 0)
        return true;
    if (server->socket < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return false;
    bool sent = socket_send_parts(server->socket, &part, 1, pair[1]);
    close(pair[1]);
    if (sent && setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0)
        server->connection = pair[0];
    else
        close(pair[0]);
    return server->connection >= 0;
}

static uint32_t size_of_text(const char *text)
{
    return text ? (uint32_t)strlen(text) + 1 : 1;
}

static bool ask(const struct name_server *server, const struct object *object, const uint64_t *offsets, uint32_t count)
{
    struct name_question question = {
        .kind = object->kind,
        .count = count,
        .path_size = size_of_text(object->path),
        .root_size = size_of_text(object->root),
        .deleted = object->deleted,
        .viewer = object->viewer,
    };
    char nothing[] = "";
    struct iovec parts[] = {{&question, sizeof question},
                            {object->path ? object->path : nothing, question.path_size},
                            {object->root ? object->root : nothing, question.root_size},
                            {(void *)(uintptr_t)offsets, count * sizeof *offsets}};
    return question.path_size <= NAME_TEXT_MOST && question.root_size <= NAME_TEXT_MOST && count <= NAME_ASKED_MOST &&
           socket_send_parts(server->connection, parts, sizeof parts / sizeof *parts, object->fd);
}

static bool take_answer(struct name_server *server, struct buffer *answer)
{
    struct name_reply reply;
    if (!socket_receive(server->connection, &reply, sizeof reply, NULL) || reply.size > ANSWER_MOST)
        return false;
    server->cpu_ns += reply.cpu_ns;
    return socket_receive_buffer(server->connection, answer, reply.size);
}

bool name_server_ask(struct name_server *server, const struct object *object, const uint64_t *offsets, uint32_t count,
                     struct buffer *answer)
{
    if (!connect_to(server))
        return false;
    if (ask(server, object, offsets, count) && take_answer(server, answer))
        return true;
    name_server_hang_up(server);
    return false;
}

void name_server_hang_up(struct name_server *server)
{
    if (server->connection >= 0)
        close(server->connection);
    server->connection = -1;
}

void name_server_end(struct name_server *server)
{
    name_server_hang_up(server);
    if (server->socket >= 0) {
        close(server->socket);
        child_kill(&server->child, 0);
    }
    *server = (struct name_server)NAME_SERVER_NONE;
}
