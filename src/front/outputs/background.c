/* SPDX-License-Identifier: MIT */
#include "front/outputs/background.h"

#include "common/base/time.h"
#include "front/session/finished.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* What a child gets. */
struct task {
    struct session *session;
    const struct session_since *now;
    int niceness, news;
    background_work *work;
    void *of;
};

static uint64_t cpu_ns_of(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return time_of_usage(&usage);
}

static int run_task(void *argument)
{
    const struct task *task = argument;
    struct background_report report = {0};
    int result = finished_until(task->session, task->now);
    finished_settle(task->session, task->niceness);
    if (result < 0)
        error_set(&report.error, ENOMEM, "out of memory");
    else
        task->work(task->of, &report.error);
    report.cpu_ns = cpu_ns_of(RUSAGE_SELF) + cpu_ns_of(RUSAGE_CHILDREN);
    return write(task->news, &report, sizeof report) != sizeof report;
}

uint64_t background_due_ns(const struct background *background)
{
    return background->news < 0 ? background->next_ns : UINT64_MAX;
}

int background_start(struct background *background, const char *name, int niceness, struct session *session,
                     background_work *work, void *of)
{
    int pair[2];
    finished_count(session, &background->now);
    if (pipe2(pair, O_CLOEXEC) < 0)
        return -errno;
    struct task task = {session, &background->now, niceness, pair[1], work, of};
    int result = child_start(&background->child, name, run_task, &task);
    close(pair[1]);
    if (result < 0)
        close(pair[0]);
    background->news = result < 0 ? -1 : pair[0];
    return result;
}

bool background_is_done(const struct background *background)
{
    struct pollfd news = {.fd = background->news, .events = POLLIN};
    return poll(&news, 1, 0) > 0;
}

void background_take(struct background *background, const char *killed, struct background_report *report)
{
    ssize_t got;
    do
        got = read(background->news, report, sizeof *report);
    while (got < 0 && errno == EINTR);
    if (got != sizeof *report) {
        *report = (struct background_report){0};
        error_set(&report->error, EAGAIN, "%s", killed);
    }
    report->error.text[sizeof report->error.text - 1] = 0;
    close(background->news);
    background->news = -1;
    child_wait(&background->child);
}
