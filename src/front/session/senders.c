/* SPDX-License-Identifier: MIT */
#include "front/session/senders.h"

#include "common/base/buffer.h"
#include "common/base/kernel.h"
#include "common/model/proctext.h"
#include "front/doctor/attach.h"

#include <time.h>
#include <unistd.h>

/* Longest chain of parents that is followed. */
enum { MOST_PARENTS = 256 };

static int wait_in_group(void *none)
{
    (void)none;
    close_range(0, ~0U, 0);
    if (chdir("/") < 0)
        return 1;
    for (;;)
        pause();
}

void senders_start(struct senders *senders)
{
    child_start(&senders->witness, "pt-group", wait_in_group, NULL);
}

void senders_end(struct senders *senders)
{
    child_kill(&senders->witness, 0);
}

void senders_note(struct senders_recent *recent, pid_t pid)
{
    recent->pids[recent->next++ % SENDERS_RECENT] = pid;
}

/* Returns the number after NAME in the status of PID, or 0. */
static uint64_t status_number(pid_t pid, const char *name, int base)
{
    struct buffer text = {0};
    uint64_t number = 0;
    if (attach_read(pid, "status", &text))
        proctext_status_number(text.bytes, name, base, &number);
    buffer_fini(&text);
    return number;
}

/* The kernel signals the youngest process of a group first, so the witness has a signal before we have it. Only
 * kill(-1, SIG) begins with the oldest: a second look finds what that sends. */
uint64_t senders_group(struct senders *senders)
{
    const struct timespec moment = {.tv_nsec = 2000000};
    uint64_t got = senders->witness.pid ? status_number(senders->witness.pid, "ShdPnd", 16) : 0;
    if (senders->witness.pid && !got) {
        nanosleep(&moment, NULL);
        got = status_number(senders->witness.pid, "ShdPnd", 16);
    }
    if (got) { /* they stay pending, so another witness sees the next ones */
        senders_end(senders);
        senders_start(senders);
    }
    return got;
}

static bool descends_from_us(pid_t pid)
{
    for (int i = 0; i < MOST_PARENTS && pid > 1; i++)
        if ((pid = (pid_t)status_number(pid, "PPid", 10)) == getpid())
            return true;
    return false;
}

bool senders_is_program(const struct senders *senders, pid_t pid)
{
    if (pid <= 0 || pid == getpid())
        return false;
    if (senders->tracer > 0 && (pid_t)status_number(pid, "TracerPid", 10) == senders->tracer)
        return true;
    for (size_t i = 0; senders->recent && i < SENDERS_RECENT; i++)
        if (senders->recent->pids[i] == pid)
            return true;
    return descends_from_us(pid);
}

bool senders_awaits(pid_t pid, int sig)
{
    return status_number(pid, "SigCgt", 16) & (uint64_t)1 << (sig - 1);
}
