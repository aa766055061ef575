/* SPDX-License-Identifier: MIT */
#include "front/naming/name_server.h"

#include "common/base/buffer.h"
#include "common/base/proc.h"
#include "common/base/socket.h"
#include "common/confine/confine.h"
#include "front/naming/name_wire.h"
#include "front/record/object.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 600000, /* more than a file with much debug information takes */
    NICENESS = 10,        /* as the process that writes an interval */
};

enum { NOBODY = 65534 };
static struct viewer reader_user = {NOBODY, NOBODY};

struct start {
    int socket;
    uint64_t most_bytes;
    bool in_background;
};

void name_server_read_as(uid_t user, gid_t group)
{
    reader_user = (struct viewer){user, group};
}

/* The reader can grow, and cannot raise its priority again. */
static void step_back(bool in_background)
{
    const struct sched_param none = {0};
    int score = proc_open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0 && write(score, "1000", 4) > 0)
        close(score);
    sched_setscheduler(0, SCHED_BATCH, &none); /* it interrupts nobody when a question comes */
    if (in_background)
        setpriority(PRIO_PROCESS, 0, NICENESS);
}

static int relay(void *argument)
{
    struct start *start = argument;
    if (!child_keep(&start->socket, 1, true))
        return 1;
    step_back(start->in_background);
    const struct name_reader like = {
        .most_bytes = start->most_bytes, .user = reader_user.user, .group = reader_user.group};
    return name_relay_serve(start->socket, &like);
}

/* A recording has given up this capability before its reader starts. */
static int try_confine(void *argument)
{
    confine_capabilities_tracing(~(UINT64_C(1) << CAP_SYS_ADMIN));
    return (int)name_confine(argument);
}

int name_server_start(struct name_server *server, uint64_t most_bytes, bool in_background)
{
    int pair[2];
    *server = (struct name_server)NAME_SERVER_NONE;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    struct start start = {pair[1], most_bytes, in_background};
    int result = child_start(&server->child, "pt-names", relay, &start);
    close(pair[1]);
    if (result < 0)
        close(pair[0]);
    else
        server->socket = pair[0];
    return result;
}

unsigned name_server_refused(void)
{
    struct name_reader reader = {.user = reader_user.user, .group = reader_user.group};
    struct child child;
    if (child_start(&child, "pt-reader", try_confine, &reader) < 0)
        return 0;
    int status = child_wait(&child);
    return status < 0 ? 0 : (unsigned)status;
}

/* Each process that asks has a connection of its own: if it is killed, the next one begins anew. */
static bool connect_to(struct name_server *server)
{
    int pair[2];
    char byte = 0;
    struct iovec part = {&byte, 1};
    if (server->connection >= 0)
        return true;
    if (server->socket < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return false;
    bool sent = socket_send_parts(server->socket, &part, 1, pair[1]);
    close(pair[1]);
    if (sent)
        server->connection = pair[0];
    else
        close(pair[0]);
    return server->connection >= 0;
}

enum manner {
    WAITING, /* for room */
    AT_ONCE,
    AHEAD, /* at once, and without a reply */
};

/* Returns false if not all was sent: the other side is gone, or has no room and we do not wait. */
static bool send_question(const struct name_server *server, const struct object *object, const uint64_t *offsets,
                          uint32_t count, enum manner manner)
{
    const char *path = object->path ? object->path : "", *root = object->root ? object->root : "";
    size_t path_size = strlen(path) + 1, root_size = strlen(root) + 1, size = count * sizeof *offsets;
    struct name_question question = {
        .kind = object->kind,
        .count = count,
        .ahead = manner == AHEAD,
        .path_size = (uint32_t)path_size,
        .root_size = (uint32_t)root_size,
        .deleted = object->deleted,
        .viewer = object->viewer,
    };
    struct iovec parts[] = {{&question, sizeof question},
                            {(void *)(uintptr_t)path, path_size},
                            {(void *)(uintptr_t)root, root_size},
                            {(void *)(uintptr_t)offsets, size}};
    enum { PARTS = sizeof parts / sizeof *parts };
    if (path_size > NAME_TEXT_MOST || root_size > NAME_TEXT_MOST || count > NAME_ASKED_MOST)
        return false;
    if (manner == WAITING)
        return socket_send_parts(server->connection, parts, PARTS, object->fd);
    return socket_send_once(server->connection, parts, PARTS, object->fd, MSG_DONTWAIT) ==
           (ssize_t)(sizeof question + path_size + root_size + size);
}

static bool connect_and_send(struct name_server *server, const struct object *object, const uint64_t *offsets,
                             uint32_t count, enum manner manner)
{
    if (!connect_to(server))
        return false;
    bool sent = send_question(server, object, offsets, count, manner);
    if (!sent)
        name_server_hang_up(server);
    return sent;
}

bool name_server_send(struct name_server *server, const struct object *object, const uint64_t *offsets, uint32_t count,
                      bool waits)
{
    return connect_and_send(server, object, offsets, count, waits ? WAITING : AT_ONCE);
}

bool name_server_read_ahead(struct name_server *server, const struct object *object)
{
    return connect_and_send(server, object, NULL, 0, AHEAD);
}

/* Returns how many bytes follow those in ANSWER. */
static uint64_t bytes_left(const struct buffer *answer)
{
    struct name_reply reply = {0};
    if (answer->length >= sizeof reply)
        memcpy(&reply, answer->bytes, sizeof reply);
    return sizeof reply + reply.size - answer->length;
}

int name_server_receive(struct name_server *server, struct buffer *answer)
{
    char bytes[65536];
    struct name_reply reply;
    for (uint64_t left; (left = bytes_left(answer));) {
        size_t most = left < sizeof bytes ? left : sizeof bytes;
        ssize_t got = 0;
        if (left <= NAME_ANSWER_MOST)
            got = socket_receive_once(server->connection, bytes, most, NULL, MSG_DONTWAIT);
        if (got == -EAGAIN || got == -EINTR)
            return -EAGAIN;
        if (got <= 0 || !buffer_append(answer, bytes, (size_t)got)) {
            name_server_hang_up(server);
            return -EPIPE;
        }
    }
    memcpy(&reply, answer->bytes, sizeof reply);
    server->cpu_ns += reply.cpu_ns;
    answer->length -= sizeof reply;
    memmove(answer->bytes, answer->bytes + sizeof reply, answer->length);
    return 0;
}

bool name_server_ask(struct name_server *server, const struct object *object, const uint64_t *offsets, uint32_t count,
                     struct buffer *answer)
{
    int result = name_server_send(server, object, offsets, count, true) ? -EAGAIN : -EPIPE;
    answer->length = 0;
    while (result == -EAGAIN) {
        struct pollfd news = {.fd = server->connection, .events = POLLIN};
        if (poll(&news, 1, PATIENCE_MS) == 0)
            name_server_hang_up(server);
        result = name_server_receive(server, answer);
    }
    return result == 0;
}

bool name_server_is_gone(struct name_server *server)
{
    return !connect_to(server);
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
