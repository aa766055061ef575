/* SPDX-License-Identifier: MIT */
#include "front/naming/name_open.h"

#include "common/base/proc.h"
#include "common/base/socket.h"
#include "common/base/viewer.h"
#include "programs/elf/debuginfod.h"
#include "programs/elf/file.h"
#include "programs/files/fetch.h"
#include "programs/files/regular.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A debug file is an ELF file. No other file has anything for the reader. */
static bool is_elf(int fd)
{
    char magic[SELFMAG];
    return pread(fd, magic, sizeof magic, 0) == sizeof magic && !memcmp(magic, ELFMAG, SELFMAG);
}

/* A relative path begins in our working directory, and is the user's own matter. */
static int open_of_library(const struct name_opener *opener, const char *path)
{
    if (*path == '/')
        return regular_open_for(opener->viewer, "", path, NULL);
    bool changed = viewer_begin(opener->viewer);
    int fd = regular_open_here(path);
    if (changed)
        viewer_end();
    return fd;
}

/* The file is in our own cache, which needs our own rights. */
static int open_of_server(const char *digits)
{
    uint8_t id[ELF_BUILD_ID_MAX];
    size_t size = 0;
    for (unsigned byte; size < sizeof id && sscanf(digits, "%2x", &byte) == 1; digits += 2) {
        id[size++] = (uint8_t)byte;
        if (!digits[1])
            break;
    }
    char *path = elf_debuginfod_find(id, size);
    int fd = path ? regular_open("", path, NULL) : -ENOENT;
    free(path);
    return fd;
}

static int open_file(const struct name_opener *opener, uint32_t kind, const char *path)
{
    int fd = -EINVAL;
    if (kind == FETCH_BELOW_ROOT && *path == '/')
        fd = regular_open_for(opener->viewer, opener->root, path, NULL);
    else if (kind == FETCH_HERE && *path == '/')
        fd = regular_open_for(opener->viewer, "", path, NULL);
    else if (kind == FETCH_OF_LIBRARY)
        fd = open_of_library(opener, path);
    else if (kind == FETCH_OF_SERVER)
        fd = open_of_server(path);
    if (fd < 0 || is_elf(fd))
        return fd;
    close(fd);
    return -ENOEXEC;
}

bool name_open_answer(int socket, const struct name_opener *opener)
{
    struct fetch_question question;
    struct fetch_reply reply = {0};
    char link[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
    ssize_t got = socket_receive_once(socket, &question, sizeof question, NULL, MSG_DONTWAIT);
    if (got <= (ssize_t)offsetof(struct fetch_question, path))
        return got == -EAGAIN || got == -EINTR;
    ((char *)&question)[got - 1] = 0;
    int fd = open_file(opener, question.kind, question.path);
    reply.result = fd < 0 ? fd : 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (fd >= 0 && proc_readlink(link, reply.place, sizeof reply.place) < 0)
        *reply.place = 0;
    struct iovec part = {&reply, offsetof(struct fetch_reply, place) + strlen(reply.place) + 1};
    ssize_t sent = socket_send_once(socket, &part, 1, fd, MSG_DONTWAIT);
    if (fd >= 0)
        close(fd);
    return sent > 0;
}
