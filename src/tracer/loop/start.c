/* SPDX-License-Identifier: MIT */
#include "tracer/loop/start.h"

#include "common/arch/gate.h"
#include "common/base/error.h"
#include "common/base/kernel.h"
#include "common/base/proc.h"
#include "common/wire/channel.h"
#include "tracer/loop/confine.h"
#include "tracer/loop/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Closes all descriptors except the two of CHANNEL, so that the tracer holds no pipe or file of the command open. */
static void drop_descriptors(struct channel *channel)
{
    int low = channel->ready, high = channel->tracer_socket;
    if (low > high) {
        low = channel->tracer_socket;
        high = channel->ready;
    }
    if (low > 0)
        close_range(0, (unsigned)low - 1, 0);
    if (high > low + 1)
        close_range((unsigned)low + 1, (unsigned)high - 1, 0);
    close_range((unsigned)high + 1, ~0U, 0);
    /* The lowest free numbers are 0 to 2, unless the channel has them. */
    int null;
    do
        null = open("/dev/null", O_RDWR);
    while (null >= 0 && null < STDERR_FILENO);
}

static void become_tracer(struct channel *channel, pid_t front, char *title, size_t title_size)
{
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    prctl(PR_SET_NAME, GATE_TRACER_NAME, 0, 0, 0);
    if (title_size > sizeof GATE_TRACER_NAME) {
        memset(title, 0, title_size);
        memcpy(title, GATE_TRACER_NAME, sizeof GATE_TRACER_NAME);
    }
    if (getppid() != front)
        _exit(0);
    if (proc_enter() < 0)
        _exit(1);
    drop_descriptors(channel);
    proc_allow_files();
    confine_tracer(front);
}

pid_t tracer_start(struct channel *channel, const struct tracer_options *options, char *title, size_t title_size,
                   struct error *error)
{
    pid_t front = getpid(), pid = fork();
    if (pid < 0)
        return error_system(error, errno, "cannot start the tracer process");
    if (pid == 0) {
        become_tracer(channel, front, title, title_size);
        tracer_run(channel, options);
        _exit(0);
    }
    close(channel->tracer_socket);
    channel->tracer_socket = -1;
    return pid;
}
