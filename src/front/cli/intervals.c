/* SPDX-License-Identifier: MIT */
#include "front/cli/intervals.h"

#include "common/base/time.h"
#include "common/text/say.h"
#include "common/wire/shared.h"
#include "front/doctor/attach_search.h"
#include "front/session/attaching.h"
#include "front/session/file.h"
#include "front/session/finished.h"
#include "profile/profile/estimate.h"
#include "profile/stored/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)

/* Low priority for the child that writes an interval, but not the lowest: it must finish within an interval. */
enum { NICENESS = 10 };

/* Kept names may use 1/4 of --max-memory, or 64 MiB if there is no limit. */
enum { NAMES_SHARE = 4, NAMES_MOST = 64 << 20 };

/* The report of a child. */
struct news {
    int errnum; /* of its first failure; 0: none */
    char text[sizeof((struct error *)0)->text];
};

/* The name of the next interval. The clock may have been set back, but no two intervals have one name. */
static void name_interval(struct intervals *intervals)
{
    struct output_name *name = &intervals->name;
    uint64_t last_ns = (uint64_t)name->time * SECOND_NS + name->ms * MS_NS, now_ns = time_read_ns(CLOCK_REALTIME);
    uint64_t unit_ns = name->exact ? MS_NS : SECOND_NS;
    if (intervals->ended && now_ns < last_ns + unit_ns)
        now_ns = last_ns + unit_ns;
    name->time = (time_t)(now_ns / SECOND_NS);
    name->ms = name->exact ? (unsigned)(now_ns % SECOND_NS / MS_NS) : 0;
}

static int write_file(struct file *file, const struct output_option *output, const struct profile *profile,
                      const struct report_options *form)
{
    bool whole = file_has_versions(file); /* nobody sees a part of it */
    FILE *stream = whole ? file_begin_version(file) : file_begin(file);
    if (!stream)
        return -errno;
    int result = report_write(output->format, profile, form, stream);
    return whole ? file_finish_version(file, stream, result) : file_finish(file, stream, result);
}

static int write_output(const struct output_name *name, const struct output_option *output,
                        const struct profile *profile, const struct report_options *form, struct error *error)
{
    struct file file = {.fd = -1};
    char *path = output_name_expand(name, output->path, output->format, error);
    int result = path ? output_name_folders(output->path, path, error) : -error->errnum;
    if (!result) {
        result = file_open(&file, path);
        if (!result)
            result = write_file(&file, output, profile, form);
        if (result < 0)
            error_system(error, -result, "cannot write the output '%s'", path);
    }
    file_end(&file, result < 0);
    free(path);
    return result;
}

/* Writes PROFILE to the outputs that store it as measured, or with LATER to the others. */
static void write_outputs(const struct intervals *intervals, const struct profile *profile, bool later,
                          struct error *error)
{
    const struct output_options *output = &intervals->options->output;
    const struct report_options form = output_options_form(output);
    bool filtered = intervals->options->filter.asked.count > 0;
    for (size_t i = 0; i < output->count; i++)
        if (later == (filtered || output->items[i].format->write != stored_pprof_write))
            write_output(&intervals->name, &output->items[i], profile, &form, error);
}

/* Estimates times where the outputs show them, and applies the filter. An interval may have nothing that fits. */
static int choose(const struct options *options, struct profile *profile, struct error *error)
{
    const struct filter *filter = &options->filter;
    int result = options->output.unsampled ? 0 : estimate_apply(profile);
    if (result || !filter->asked.count)
        return result;
    if (filter_check(filter, profile, error) < 0)
        return -error->errnum;
    return filter_apply(filter, profile);
}

static void write_profile(const struct intervals *intervals, struct error *error)
{
    struct profile *profile = finished_profile(intervals->session, error);
    if (!profile)
        return;
    bool filtered = intervals->options->filter.asked.count > 0;
    write_outputs(intervals, profile, false, error);
    if (!filtered)
        push_profile(&intervals->push, PUSH_KEEPS, profile, error);
    if (choose(intervals->options, profile, error) < 0)
        error_set(error, ENOMEM, "out of memory while an interval was filtered");
    else {
        write_outputs(intervals, profile, true, error);
        push_profile(&intervals->push, filtered ? PUSH_KEEPS | PUSH_SHOWS : PUSH_SHOWS, profile, error);
    }
    profile_free(profile);
}

static int work(void *argument)
{
    struct intervals *intervals = argument;
    struct error error = {0};
    int result = finished_until(intervals->session, &intervals->now);
    finished_settle(intervals->session, NICENESS);
    if (result < 0)
        error_set(&error, ENOMEM, "out of memory");
    else
        write_profile(intervals, &error);
    struct news news = {.errnum = error.errnum};
    memcpy(news.text, error.text, sizeof news.text);
    return write(intervals->news, &news, sizeof news) != sizeof news;
}

static void lose(struct intervals *intervals, const struct error *error)
{
    if (!intervals->lost++) {
        intervals->failure = *error;
        say_line(stderr, "warning: the profile of an interval is lost: %s; recording goes on", error->text);
    }
}

/* The child is done, or was killed. */
static void take_news(struct intervals *intervals)
{
    struct news news;
    struct error error = {0};
    if (read(intervals->news, &news, sizeof news) != sizeof news)
        error_set(&error, EAGAIN, "the process that wrote it was killed");
    else if (news.errnum)
        error_set(&error, news.errnum, "%.*s", (int)sizeof news.text - 1, news.text);
    close(intervals->news);
    intervals->news = intervals->session->chore.news = -1;
    child_wait(&intervals->child);
    if (error.errnum)
        lose(intervals, &error);
}

/* Returns 0, or -errno if no child could be started. */
static int start_child(struct intervals *intervals)
{
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) < 0)
        return -errno;
    intervals->news = pair[1]; /* the child's */
    int result = child_start(&intervals->child, "pt-interval", work, intervals);
    close(pair[1]);
    if (result < 0)
        close(pair[0]);
    intervals->news = intervals->session->chore.news = result < 0 ? -1 : pair[0];
    return result;
}

/* Hands the record over to a child, and begins the next interval. If that fails, this interval goes on. */
static void turn(struct intervals *intervals)
{
    struct session *session = intervals->session;
    struct record *record = session->intake.record;
    record_levels_end(record, HASH_NONE);
    finished_count(session, &intervals->now);
    intervals->began_ns = intervals->now.began_ns;
    if (start_child(intervals) < 0)
        return;
    intake_renew(&session->intake);
    session->since = intervals->now;
    atomic_store(&session->channel.shared->counts.longest_period_ns, 0);
    intervals->ended++;
    name_interval(intervals);
}

/* Called when an interval is over, or a child has something to report. */
static void look(void *of)
{
    struct intervals *intervals = of;
    struct session *session = intervals->session;
    uint64_t every_ns = intervals->options->every_ns;
    struct pollfd news = {.fd = intervals->news, .events = POLLIN};
    if (intervals->news >= 0 && poll(&news, 1, 0) > 0)
        take_news(intervals);
    session->chore.next_ns = intervals->news >= 0 ? UINT64_MAX : intervals->began_ns + every_ns;
    if (intervals->news >= 0 || time_now_ns() < session->chore.next_ns || session->closing)
        return;
    if (session->options->search_again)
        attaching_again(session, &(struct error){0});
    turn(intervals);
    session->chore.next_ns = intervals->began_ns + every_ns;
}

/* Starts what serves all intervals, while this process is small. Without the process that keeps names, each interval
 * reads them again. */
static int start_helpers(struct push *push, struct name_server *names, const struct options *options,
                         struct error *error)
{
    uint64_t most = options->session.max_memory ? options->session.max_memory / NAMES_SHARE : NAMES_MOST;
    *names = (struct name_server)NAME_SERVER_NONE;
    if (options->every_ns)
        name_server_start(names, most);
    int result = push_begin(push, &options->push, error);
    if (result < 0)
        name_server_end(names);
    return result;
}

static void end_helpers(struct push *push, struct name_server *names)
{
    name_server_end(names);
    push_end(push);
}

int intervals_prepare(struct intervals *intervals, const struct options *options, struct error *error)
{
    *intervals = (struct intervals){.options = options, .news = -1};
    if (!options->sender)
        return start_helpers(&intervals->push, &intervals->names, options, error);
    intervals->push = (struct push){&options->push, *options->sender};
    intervals->names = *options->names;
    return 0;
}

void intervals_abandon(struct intervals *intervals)
{
    if (!intervals->options || !intervals->options->sender)
        end_helpers(&intervals->push, &intervals->names);
}

void intervals_begin(struct intervals *intervals, struct session *session, const struct options *options)
{
    intervals->session = session;
    intervals->options = options;
    if (!options->every_ns)
        return;
    session->intake.record->names = &intervals->names;
    intervals->name = output_name_own();
    intervals->name.exact = options->every_ns % SECOND_NS != 0;
    name_interval(intervals);
    intervals->began_ns = time_now_ns();
    session->chore = (struct session_chore){
        .look = look, .of = intervals, .news = -1, .next_ns = intervals->began_ns + options->every_ns};
}

int intervals_end(struct intervals *intervals)
{
    struct error error = {0};
    intervals->session->chore = (struct session_chore){.news = -1};
    if (intervals->news >= 0)
        take_news(intervals);
    intervals->ended++;
    write_profile(intervals, &error);
    if (error.errnum)
        lose(intervals, &error);
    name_server_hang_up(&intervals->names);
    intervals_abandon(intervals);
    if (intervals->lost > 1)
        say_line(stderr, "the profiles of %llu of %llu intervals are lost, the first because: %s",
                 (unsigned long long)intervals->lost, (unsigned long long)intervals->ended, intervals->failure.text);
    return -intervals->failure.errnum;
}

/* Searches processes again, and sets the targets of OPTIONS, a copy, to the found ones. Returns 0, -ESRCH if none was
 * found, or -errno with ERROR set. */
static int find_targets(struct options *options, const struct attach_list *before, struct error *error)
{
    options->session.targets = (struct attach_list){0};
    int result = attach_search_again(&options->session.targets, before, error);
    for (size_t i = 0; !result && i < before->asked_count; i++)
        if (!attach_has_ended(before->asked[i]))
            result = attach_add(&options->session.targets, before->asked[i], error);
    return result || options->session.targets.count ? result : -ESRCH;
}

/* The signals that end everything, and SIGCHLD, which arrives at the end of a period. */
static void ending_signals(sigset_t *set)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(set, signals[i]);
}

/* Waits until UNTIL_NS. Returns true if the end was asked for. */
static bool rest(const sigset_t *set, uint64_t until_ns)
{
    bool asked = false;
    for (uint64_t now_ns; !asked && (now_ns = time_now_ns()) < until_ns;) {
        uint64_t left_ns = until_ns - now_ns;
        int got =
            sigtimedwait(set, NULL, &(struct timespec){(time_t)(left_ns / SECOND_NS), (long)(left_ns % SECOND_NS)});
        asked = got > 0 && got != SIGCHLD;
    }
    return asked;
}

/* Waits for the end of CHILD. Returns true if the end was asked for; a signal that did not come from the terminal is
 * passed on. */
static bool attend(const sigset_t *set, pid_t child, int *status)
{
    bool asked = false;
    while (waitpid(child, status, WNOHANG) == 0) {
        siginfo_t info;
        int got = sigwaitinfo(set, &info);
        if (got <= 0 || got == SIGCHLD)
            continue;
        asked = true;
        if (info.si_code <= 0)
            kill(child, SIGINT);
    }
    return asked;
}

/* One period: in a child, so that nothing of it stays. Returns its status, and sets *ASKED if the end was asked for. */
static int run_period(const struct options *options, intervals_run *run, char *title, size_t title_size,
                      const sigset_t *set, bool *asked)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_UNBLOCK, set, NULL);
        _exit(run(options, title, title_size));
    }
    if (child > 0)
        *asked = attend(set, child, &status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int intervals_repeat(const struct options *options, intervals_run *run, char *title, size_t title_size,
                     struct error *error)
{
    const struct attach_list *targets = &options->session.targets;
    uint64_t now_ns = time_now_ns(), total_ns = options->session.duration_ns;
    uint64_t next_ns = now_ns, end_ns = total_ns ? now_ns + total_ns : UINT64_MAX;
    bool asked = false, found = true;
    struct push push;
    struct name_server names;
    sigset_t set;
    int status = 0;
    if (start_helpers(&push, &names, options, error) < 0)
        return -error->errnum;
    ending_signals(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (bool first = true; !asked && !status && found && next_ns < end_ns; first = false) {
        struct options copy = *options;
        copy.sender = &push.sender;
        copy.names = &names;
        copy.session.duration_ns = options->duty_ns;
        copy.session.again = !first;
        if (!find_targets(&copy, targets, &(struct error){0}))
            status = run_period(&copy, run, title, title_size, &set, &asked);
        else
            found = targets->search_count > 0;
        attach_fini(&copy.session.targets);
        if (!first)
            status = 0; /* the processes have ended since, which is not a failure */
        next_ns += options->duty_period_ns;
        asked = asked || status || !found || rest(&set, next_ns < end_ns ? next_ns : end_ns);
    }
    end_helpers(&push, &names);
    return status;
}
