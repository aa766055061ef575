/* SPDX-License-Identifier: MIT */
#include "programs/files/fetch.h"

#include "common/base/socket.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PLACES = 4096 };

static int connection = -1;
static char *places[PLACES]; /* by descriptor */

void fetch_begin(int socket)
{
    connection = socket;
}

bool fetch_is_needed(void)
{
    return connection >= 0;
}

void fetch_note_place(int fd, const char *place)
{
    if (fd < 0 || fd >= PLACES)
        return;
    free(places[fd]);
    places[fd] = *place ? strdup(place) : NULL;
}

const char *fetch_place(int fd)
{
    return fd >= 0 && fd < PLACES && places[fd] ? places[fd] : "";
}

int fetch_open(enum fetch_kind kind, const char *path)
{
    uint32_t number = kind;
    size_t length = strlen(path) + 1;
    struct iovec parts[] = {{&number, sizeof number}, {(void *)(uintptr_t)path, length}};
    struct fetch_reply reply = {.result = -EIO};
    int fd = -1;
    if (length > PATH_MAX)
        return -ENAMETOOLONG;
    if (socket_send_once(connection, parts, 2, -1, 0) < 0)
        return -EIO;
    ssize_t got = socket_receive_once(connection, &reply, sizeof reply, &fd, 0);
    if (got <= (ssize_t)offsetof(struct fetch_reply, place) || fd < 0) {
        if (fd >= 0)
            close(fd);
        return got >= (ssize_t)sizeof reply.result && reply.result < 0 ? reply.result : -EIO;
    }
    ((char *)&reply)[got - 1] = 0;
    fetch_note_place(fd, reply.place);
    return fd;
}
