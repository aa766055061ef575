/* SPDX-License-Identifier: MIT */
#include "common/wire/channel.h"

#include "common/base/error.h"
#include "common/base/wake.h"
#include "common/wire/command.h"
#include "common/wire/shared.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RING_BYTES = 16 << 20, QUESTIONS_BYTES = 4 << 20 };

static void make_life(pthread_mutex_t *life)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(life, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

int channel_open(struct channel *channel, struct error *error)
{
    int pair[2];
    memset(channel, 0, sizeof *channel);
    channel->ready = channel->front_socket = channel->tracer_socket = -1;
    int result = ring_map(&channel->ring, RING_BYTES, error);
    if (!result)
        result = ring_map(&channel->questions, QUESTIONS_BYTES, error);
    if (result < 0)
        return result;
    void *shared =
        mmap(NULL, sizeof *channel->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    channel->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (shared == MAP_FAILED || channel->ready < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return error_system(error, errno, "cannot set up shared memory for the tracer process");
    channel->shared = shared;
    make_life(&channel->shared->life);
    channel->front_socket = pair[0];
    channel->tracer_socket = pair[1];
    return 0;
}

void channel_close(struct channel *channel)
{
    int *descriptors[] = {&channel->ready, &channel->front_socket, &channel->tracer_socket};
    for (size_t i = 0; i < 3; i++)
        if (*descriptors[i] >= 0)
            close(*descriptors[i]);
    ring_unmap(&channel->ring);
    ring_unmap(&channel->questions);
    if (channel->shared)
        munmap(channel->shared, sizeof *channel->shared);
    memset(channel, 0, sizeof *channel);
    channel->ready = channel->front_socket = channel->tracer_socket = -1;
}

void channel_command(struct channel *channel, const struct command *command)
{
    if (send(channel->front_socket, command, sizeof *command, MSG_NOSIGNAL) < 0)
        return; /* the tracer has died, which is noticed elsewhere */
    atomic_fetch_add(&channel->shared->commands, 1);
    wake_signal(&channel->shared->wake);
}
