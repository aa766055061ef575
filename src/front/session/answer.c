/* SPDX-License-Identifier: MIT */
#include "front/session/answer.h"

#include "common/wire/channel.h"
#include "front/session/jobcontrol.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>

enum { PATIENCE_MS = 1000 };

/* Returns false if no answer comes for some time after a request to end. */
static bool answer_comes(int socket, struct jobcontrol *jobcontrol, pid_t tracer, bool *asked_to_end)
{
    struct pollfd news[] = {{.fd = socket, .events = POLLIN}, {.fd = jobcontrol->descriptor, .events = POLLIN}};
    nfds_t count = jobcontrol->command ? 1 : 2;
    while (!news[0].revents) {
        int got = poll(news, count, *asked_to_end ? PATIENCE_MS : -1);
        if (!got)
            return false;
        if (got > 0 && news[1].revents && jobcontrol_read(jobcontrol, asked_to_end))
            kill(tracer, SIGCONT); /* the tracer may have been stopped; other changes are handled later */
    }
    return true;
}

int answer_await(const struct channel *channel, struct jobcontrol *jobcontrol, pid_t tracer, bool *asked_to_end)
{
    int32_t answer;
    ssize_t got;
    if (!answer_comes(channel->front_socket, jobcontrol, tracer, asked_to_end))
        return -EINTR;
    do
        got = recv(channel->front_socket, &answer, sizeof answer, 0);
    while (got < 0 && errno == EINTR);
    return got == sizeof answer ? answer : -ECHILD;
}
