/* SPDX-License-Identifier: MIT */
#include "front/cli/checkpoint.h"

#include "common/base/time.h"
#include "common/text/say.h"
#include "front/session/finished.h"
#include "profile/profile/estimate.h"
#include "profile/stored/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FIRST_NS UINT64_C(1000000000)
#define MOST_NS (60 * FIRST_NS)

enum { DOUBLINGS = 6, CPU_SHARE = 100, LOWEST = 19, KILL_PATIENCE_MS = 5000 };

static const char unfinished[] = "it was still being recorded when this was written";

/* The report of a child. */
struct news {
    size_t output; /* the output that failed: */
    int result;    /* -errno, or 0 */
    uint64_t cpu_ns;
};

uint64_t checkpoint_wait_ns(unsigned begun, uint64_t cpu_ns)
{
    uint64_t wait_ns = begun < DOUBLINGS ? FIRST_NS << begun : MOST_NS;
    return cpu_ns > wait_ns / CPU_SHARE ? cpu_ns * CPU_SHARE : wait_ns;
}

static bool is_wanted(const struct output *output)
{
    return output->option->format->write == stored_pprof_write && file_has_versions(&output->file);
}

static bool is_any_wanted(const struct checkpoint *checkpoint)
{
    bool wanted = false;
    for (size_t i = 0; i < checkpoint->outputs->count; i++)
        wanted |= is_wanted(&checkpoint->outputs->items[i]);
    return wanted;
}

static uint64_t time_of(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
           (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
}

static int write_output(struct output *output, const struct profile *profile, const struct report_options *form)
{
    FILE *stream = file_begin_version(&output->file);
    if (!stream)
        return -errno;
    return file_finish_version(&output->file, stream, report_write(output->option->format, profile, form, stream));
}

/* Returns 0, or -errno with the number of the failed output in *NUMBER. */
static int write_outputs(const struct checkpoint *checkpoint, const struct profile *profile, size_t *number)
{
    int first = 0;
    for (size_t i = 0; i < checkpoint->outputs->count; i++) {
        struct output *output = &checkpoint->outputs->items[i];
        int result = is_wanted(output) ? write_output(output, profile, &checkpoint->outputs->form) : 0;
        if (result < 0 && !first)
            *number = i;
        first = first ? first : result;
    }
    return first;
}

/* Filters PROFILE. If nothing matches, keeps the whole profile, because the final version is then written whole,
 * too. */
static int filter_profile(const struct options *options, struct profile *profile)
{
    const struct filter *filter = &options->filter;
    struct error error = {0};
    bool found = false;
    if (!filter->asked.count || filter_check(filter, profile, &error) < 0)
        return 0;
    int result = filter_finds(filter, profile, &found);
    if (!result && found && !options->output.unsampled)
        result = estimate_apply(profile);
    return result < 0 || !found ? result : filter_apply(filter, profile);
}

static int work(void *argument)
{
    struct checkpoint *checkpoint = argument;
    struct session *session = checkpoint->session;
    struct error error = {0};
    struct news news = {0};
    int result = finished_until(session, &checkpoint->now);
    finished_settle(session, LOWEST);
    session->ended_early = session->ended_early ? session->ended_early : unfinished;
    struct profile *profile = result < 0 ? NULL : finished_profile(session, &error);
    news.result = profile ? filter_profile(checkpoint->options, profile) : -ENOMEM;
    if (!news.result)
        news.result = write_outputs(checkpoint, profile, &news.output);
    news.cpu_ns = time_of(RUSAGE_SELF) + time_of(RUSAGE_CHILDREN);
    return write(checkpoint->news, &news, sizeof news) != sizeof news;
}

/* Returns false if checkpoints are impossible at this location: then only the final profile is written. */
static bool is_failure(int result)
{
    return result < 0 && result != -EACCES && result != -EPERM && result != -EROFS && result != -ENOTSUP;
}

static void tell(struct checkpoint *checkpoint, const struct news *news)
{
    if (!is_failure(news->result) || checkpoint->told)
        return;
    say_line(stderr, "warning: cannot write what has been recorded so far to '%s': %s; recording goes on",
             checkpoint->outputs->items[news->output].option->path, strerror(-news->result));
    checkpoint->told = true;
}

/* Uses the file that replaced an output as the output. */
static void follow(struct checkpoint *checkpoint)
{
    for (size_t i = 0; i < checkpoint->outputs->count; i++)
        file_follow(&checkpoint->outputs->items[i].file);
}

static void plan(struct checkpoint *checkpoint, uint64_t cpu_ns)
{
    checkpoint->session->chore.next_ns = checkpoint->began_ns + checkpoint_wait_ns(checkpoint->begun, cpu_ns);
}

/* Reads the report of the child, which is done or was killed. */
static void take_news(struct checkpoint *checkpoint)
{
    struct news news;
    if (read(checkpoint->news, &news, sizeof news) != sizeof news)
        news = (struct news){.result = -EAGAIN};
    close(checkpoint->news);
    checkpoint->news = checkpoint->session->chore.news = -1;
    child_wait(&checkpoint->child);
    follow(checkpoint);
    if (news.output < checkpoint->outputs->count)
        tell(checkpoint, &news);
    plan(checkpoint, news.cpu_ns);
}

static void start_child(struct checkpoint *checkpoint)
{
    int pair[2], result = pipe2(pair, O_CLOEXEC);
    checkpoint->begun++;
    checkpoint->samples = checkpoint->session->intake.record->sample_count;
    if (result < 0)
        return;
    checkpoint->news = pair[1]; /* the child's */
    finished_count(checkpoint->session, &checkpoint->now);
    result = child_start(&checkpoint->child, "pt-checkpoint", work, checkpoint);
    close(pair[1]);
    checkpoint->news = result < 0 ? -1 : pair[0];
    if (result < 0)
        close(pair[0]);
    checkpoint->session->chore.news = checkpoint->news;
}

/* Called when a checkpoint is due, or when its child reports. */
static void look(void *of)
{
    struct checkpoint *checkpoint = of;
    struct session *session = checkpoint->session;
    uint64_t now_ns = time_now_ns();
    if (checkpoint->news >= 0) {
        struct pollfd news = {.fd = checkpoint->news, .events = POLLIN};
        session->chore.next_ns = UINT64_MAX; /* the report has arrived */
        if (poll(&news, 1, 0) > 0)
            take_news(checkpoint);
        return;
    }
    if (now_ns < session->chore.next_ns)
        return;
    checkpoint->began_ns = now_ns;
    plan(checkpoint, 0);
    if (session->intake.record->sample_count != checkpoint->samples && !session->closing && is_any_wanted(checkpoint))
        start_child(checkpoint);
}

void checkpoint_begin(struct checkpoint *checkpoint, struct session *session, struct outputs *outputs,
                      const struct options *options)
{
    *checkpoint = (struct checkpoint){
        .session = session, .outputs = outputs, .options = options, .news = -1, .began_ns = time_now_ns()};
    if (!is_any_wanted(checkpoint))
        return;
    session->chore = (struct session_chore){.look = look, .of = checkpoint, .news = -1};
    plan(checkpoint, 0);
}

void checkpoint_end(struct checkpoint *checkpoint)
{
    struct session *session = checkpoint->session;
    if (!session->chore.look)
        return;
    session->chore = (struct session_chore){.news = -1};
    if (checkpoint->news >= 0)
        close(checkpoint->news);
    checkpoint->news = -1;
    if (!child_kill(&checkpoint->child, KILL_PATIENCE_MS))
        child_leave(&checkpoint->child);
    follow(checkpoint);
}
