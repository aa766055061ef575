/* SPDX-License-Identifier: MIT */
#include "common/base/reader.h"

#include "common/base/socket.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATH_SIZE = 96, MOST_IN_VAIN = 3, PATIENCE_S = 1, DYING_MS = 50 };

struct request {
    char path[PATH_SIZE];
    uint64_t limit;
};

struct answer {
    int64_t result;
    uint64_t length;
};

/* The child's work: answers requests until the parent closes the socket. */
static int serve(void *argument)
{
    int socket = *(const int *)argument;
    struct buffer text = {0};
    struct request request;
    if (!child_keep(&socket, 1, true))
        return 1;
    while (socket_receive(socket, &request, sizeof request, NULL)) {
        struct answer answer = {.result = buffer_read_path(&text, request.path, (size_t)request.limit)};
        answer.length = text.length;
        struct iovec parts[] = {{&answer, sizeof answer}, {text.bytes, text.length}};
        if (!socket_send_parts(socket, parts, text.length ? 2 : 1, -1))
            return 1;
    }
    return 0;
}

static int start(struct reader *reader)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return -errno;
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int result = child_start(&reader->child, "pt-reader", serve, &pair[1]);
    close(pair[1]);
    if (result < 0)
        close(pair[0]);
    else
        reader->socket = pair[0];
    return result;
}

void reader_end(struct reader *reader)
{
    if (!reader->child.pid)
        return;
    close(reader->socket);
    if (!child_kill(&reader->child, DYING_MS))
        child_leave(&reader->child);
}

static void empty(struct buffer *text)
{
    text->length = 0;
    if (text->bytes)
        *text->bytes = 0;
}

int reader_read(struct reader *reader, const char *path, size_t limit, struct buffer *text)
{
    struct request request = {.limit = limit};
    struct answer answer;
    empty(text);
    if (snprintf(request.path, sizeof request.path, "%s", path) >= PATH_SIZE)
        return -ENAMETOOLONG;
    int result = reader->in_vain >= MOST_IN_VAIN ? -ETIMEDOUT : reader->child.pid ? 0 : start(reader);
    if (result < 0)
        return result;
    if (socket_send(reader->socket, &request, sizeof request) &&
        socket_receive(reader->socket, &answer, sizeof answer, NULL) &&
        socket_receive_buffer(reader->socket, text, answer.length))
        return (int)answer.result;
    empty(text);
    reader->in_vain++;
    reader_end(reader);
    return -ETIMEDOUT;
}
