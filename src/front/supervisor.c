/* SPDX-License-Identifier: MIT */
#include "front/supervisor.h"

#include "base/wake.h"
#include "front/attaching.h"
#include "front/inherited.h"
#include "front/progress.h"
#include "front/refusal.h"
#include "front/say.h"
#include "tracee/rescue.h"
#include "tracer/start.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CLOSE_PATIENCE_MS = 3000, TURN_NS = 2000000, OWN_NEWS = 5 };

/* Of the memory that may be taken, such a part is for the times of samples. */
enum { INSTANTS_SHARE = 4 };

static void command_tracer(struct supervisor *supervisor, uint32_t type, pid_t pid)
{
    channel_command(&supervisor->channel, &(struct command){.type = type, .pid = pid});
}

/* Reads the tracer's answer to COMMAND_LAUNCH: 0, -errno, or -ECHILD if it died. */
static int tracer_answer(struct supervisor *supervisor)
{
    int32_t answer;
    ssize_t got;
    do
        got = recv(supervisor->channel.front_socket, &answer, sizeof answer, 0);
    while (got < 0 && errno == EINTR);
    return got == sizeof answer ? answer : -ECHILD;
}

static void end_tracer(struct supervisor *supervisor)
{
    kill(supervisor->tracer, SIGKILL);
    waitpid(supervisor->tracer, NULL, 0);
    rescuer_end(&supervisor->rescuer);
    rescue_all(&supervisor->channel.shared->rescue);
    supervisor->tracer = 0;
    supervisor->ended_ns = wake_now();
}

static int launch_command(struct supervisor *supervisor, struct error *error)
{
    struct launch launch;
    int result = launch_prepare(&launch, supervisor->options->command, supervisor->tracer,
                                &supervisor->jobcontrol.inheritance, error);
    if (result < 0)
        return result;
    supervisor->jobcontrol.command = launch.pid;
    command_tracer(supervisor, COMMAND_LAUNCH, launch.pid);
    result = tracer_answer(supervisor);
    if (result < 0 && result != -ECHILD) {
        refusal_explain(launch.pid, "cannot trace the command", result, error);
        launch_abandon(&launch);
        waitpid(launch.pid, NULL, 0);
        return result;
    }
    rescuer_start(&supervisor->rescuer, supervisor->channel.shared);
    supervisor->exec_error = -launch_go(&launch);
    return 0;
}

static int start_duration(struct supervisor *supervisor, struct error *error)
{
    uint64_t ns = supervisor->options->duration_ns;
    struct itimerspec when = {.it_value = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)}};
    supervisor->timed = true;
    if (!ns)
        return 0;
    supervisor->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (supervisor->timer < 0 || timerfd_settime(supervisor->timer, 0, &when, NULL) < 0)
        return error_system(error, errno, "cannot make a timer");
    return 0;
}

int supervisor_start(struct supervisor *supervisor, const struct options *options, struct record *record, char *title,
                     size_t title_size, struct error *error)
{
    struct inherited inherited;
    struct tracer_options tracer_options = {
        .period_ns = 1000000000u / options->rate,
        .max_overhead = options->max_overhead,
        .children = options->follow,
        .off = options->switching.off,
        .wall = options->wall,
        .stack_bytes = options->stacks == STACKS_NONE ? 0 : options->stack_bytes,
        .stack_deepest = options->stack_deepest,
        .calls = {options->semantics, options->hz, options->calls, options->impose},
    };
    memset(supervisor, 0, sizeof *supervisor);
    supervisor->options = options;
    supervisor->timer = -1;
    record->most_bytes = options->max_memory;
    record->instants.most_bytes = options->max_memory / INSTANTS_SHARE;
    supervisor->intake.record = record;
    supervisor->intake.channel = &supervisor->channel;
    supervisor->intake.entries.mode = options->calls;
    bool memory = options->stacks != STACKS_NONE || options->calls != CALLS_OFF;
    int result = switching_open(&supervisor->switching, &options->switching, error);
    if (!result && memory)
        result = refusal_check_memory(error);
    inherited_list(&inherited);
    if (!result)
        result = stacks_start(&supervisor->intake.stacks, options->stacks, options->stack_deepest, error);
    if (!result)
        result = jobcontrol_start(&supervisor->jobcontrol, !options->command, options->switching.signal, error);
    if (!result)
        result = channel_open(&supervisor->channel, error);
    if (result < 0)
        return result;
    supervisor->tracer = tracer_start(&supervisor->channel, &tracer_options, title, title_size, error);
    if (supervisor->tracer < 0)
        return supervisor->tracer;
    result = options->command ? launch_command(supervisor, error) : attaching_run(supervisor, error);
    if (!result)
        result = switching_start(&supervisor->switching, &options->switching, &supervisor->channel, record, error);
    if (!result && !options->switching.off)
        result = start_duration(supervisor, error);
    if (result < 0)
        end_tracer(supervisor);
    inherited_drop(&inherited);
    /* A reader of the report that has gone, or a limit to the size of files, does not change how we end. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return result;
}

static void close_tracer(struct supervisor *supervisor)
{
    if (supervisor->closing)
        return;
    supervisor->closing = true;
    command_tracer(supervisor, COMMAND_CLOSE, 0);
}

static void tracer_ended(struct supervisor *supervisor)
{
    int status;
    rescuer_end(&supervisor->rescuer);
    rescue_all(&supervisor->channel.shared->rescue);
    wait4(supervisor->tracer, &status, 0, &supervisor->tracer_usage);
    supervisor->tracer = 0;
    supervisor->ended_ns = wake_now();
    if (!supervisor->closing)
        supervisor->ended_early = WIFSIGNALED(status) && WTERMSIG(status) == TRACER_GIVE_UP_SIGNAL
                                      ? "a process kept the tracer waiting for its memory"
                                      : "the tracer was killed";
}

static void command_changed(struct supervisor *supervisor, const siginfo_t *info)
{
    if (info->si_code == CLD_STOPPED) {
        jobcontrol_mirror_stop(&supervisor->jobcontrol, supervisor->channel.shared, info->si_status,
                               supervisor->tracer > 0);
    } else if (info->si_code != CLD_CONTINUED) {
        waitpid(info->si_pid, &supervisor->command_status, 0);
        supervisor->command_ended = true;
        supervisor->jobcontrol.command = 0;
    }
}

/* The tracer must never be left stopped: what it traces would be held. */
static void tracer_changed(struct supervisor *supervisor, const siginfo_t *info)
{
    if (info->si_code == CLD_STOPPED)
        kill(supervisor->tracer, SIGCONT);
    else if (info->si_code != CLD_CONTINUED)
        tracer_ended(supervisor);
}

static void children_changed(struct supervisor *supervisor)
{
    siginfo_t info;
    for (;;) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) < 0 || !info.si_pid)
            return;
        if (info.si_code == CLD_TRAPPED) {
            rescue_stopped_late(info.si_pid, info.si_status);
            continue;
        }
        bool ended = info.si_code != CLD_STOPPED && info.si_code != CLD_CONTINUED;
        if (!ended)
            waitid(P_PID, (id_t)info.si_pid, &(siginfo_t){0}, WSTOPPED | WCONTINUED | WNOHANG);
        if (info.si_pid == supervisor->tracer)
            tracer_changed(supervisor, &info);
        else if (info.si_pid == supervisor->jobcontrol.command)
            command_changed(supervisor, &info);
        else if (ended)
            waitpid(info.si_pid, NULL, 0); /* an orphan: we are the first process of a pid namespace */
    }
}

static void hear_tracer(struct supervisor *supervisor)
{
    uint64_t count;
    if (read(supervisor->channel.ready, &count, sizeof count) < 0 && errno != EAGAIN)
        return;
    atomic_store(&supervisor->channel.shared->front_notified, 0);
    supervisor->behind = true;
}

/* Unwinding may be slower than the samples come: after a while it is somebody else's turn to be heard. */
static void take_messages(struct supervisor *supervisor)
{
    struct command command;
    for (uint64_t until_ns = wake_now() + TURN_NS; supervisor->behind && wake_now() < until_ns;)
        supervisor->behind = intake_next(&supervisor->intake, &supervisor->channel.ring);
    while (stacks_next_command(&supervisor->intake.stacks, &command))
        channel_command(&supervisor->channel, &command);
}

int supervisor_attach(struct supervisor *supervisor, pid_t pid)
{
    command_tracer(supervisor, COMMAND_ATTACH, pid);
    int result = tracer_answer(supervisor);
    supervisor->behind = true;
    take_messages(supervisor);
    return result;
}

static void end_early(struct supervisor *supervisor, const char *why)
{
    if (supervisor->options->command)
        supervisor->ended_early = why;
    close_tracer(supervisor);
}

/* DELAYED: the delay is over. COMMANDED: the FIFO has something. */
static void take_switches(struct supervisor *supervisor, bool delayed, bool commanded)
{
    struct switching *switching = &supervisor->switching;
    if (supervisor->closing)
        return;
    if (delayed)
        switching_delayed(switching);
    for (; supervisor->jobcontrol.toggled; supervisor->jobcontrol.toggled--)
        switching_toggle(switching);
    if (commanded && switching_obey(switching))
        end_early(supervisor, "it was asked for (--control)");
    if (!switching->off && !supervisor->timed && start_duration(supervisor, &(struct error){0}) < 0)
        end_early(supervisor, "no timer could be made for its duration");
}

void supervisor_turn(struct supervisor *supervisor, struct pollfd *more, size_t count, int timeout_ms)
{
    struct pollfd news[OWN_NEWS + SUPERVISOR_MORE] = {
        {.fd = supervisor->jobcontrol.descriptor, .events = POLLIN},
        {.fd = supervisor->channel.ready, .events = POLLIN},
        {.fd = supervisor->timer, .events = POLLIN},
        {.fd = supervisor->switching.timer, .events = POLLIN},
        {.fd = supervisor->switching.control.descriptor, .events = POLLIN},
    };
    for (size_t i = 0; i < count; i++)
        news[OWN_NEWS + i] = more[i];
    int got = poll(news, OWN_NEWS + count, supervisor->behind ? 0 : timeout_ms);
    for (size_t i = 0; i < count; i++)
        more[i].revents = got < 0 ? 0 : news[OWN_NEWS + i].revents;
    if (got < 0)
        return;
    if (news[1].revents)
        hear_tracer(supervisor);
    take_messages(supervisor);
    if (news[2].revents) {
        close(supervisor->timer);
        supervisor->timer = -1;
        end_early(supervisor, "the duration asked for was over");
    }
    if (news[0].revents && jobcontrol_read(&supervisor->jobcontrol, &supervisor->asked_to_end))
        children_changed(supervisor);
    take_switches(supervisor, news[3].revents, news[4].revents);
}

static void wait_for_news(struct supervisor *supervisor, int timeout_ms)
{
    supervisor_turn(supervisor, NULL, 0, timeout_ms);
}

static bool daemons_wanted(const struct supervisor *supervisor)
{
    return supervisor->options->wait && supervisor->tracer && !supervisor->asked_to_end &&
           atomic_load(&supervisor->channel.shared->counts.processes) > 0;
}

/* With processes that were attached: until they have all ended, somebody asks us to end, or the time is over. */
static bool targets_wanted(const struct supervisor *supervisor)
{
    return !supervisor->closing && supervisor->tracer && !supervisor->asked_to_end &&
           atomic_load(&supervisor->channel.shared->counts.processes) > 0;
}

/* Ends the tracer, which may have to wait for the rests of transfers first. Whoever asks for the end again does not want to
 * wait for them. */
static void await_tracer(struct supervisor *supervisor)
{
    enum { LOOK_MS = 50 };
    const uint64_t patience_ns = CLOSE_PATIENCE_MS * 1000000ull;
    uint64_t until_ns = wake_now() + patience_ns, last_ns = until_ns + TRACER_RESTS_NS;
    uint32_t rests, told = 0;
    close_tracer(supervisor);
    while (supervisor->tracer && wake_now() < until_ns && wake_now() < last_ns) {
        supervisor->asked_to_end = false;
        wait_for_news(supervisor, LOOK_MS);
        if ((rests = atomic_load(&supervisor->channel.shared->rests)))
            until_ns = wake_now() + patience_ns;
        if (rests && !told)
            say_line(stderr, "waiting up to %d s for %u transfer(s) in progress, which would be cut short; Ctrl-C cuts them",
                     (int)(TRACER_RESTS_NS / 1000000000u), (unsigned)rests);
        told |= rests;
        if (supervisor->asked_to_end)
            command_tracer(supervisor, COMMAND_CLOSE, 0);
    }
}

static void attend_targets(struct supervisor *supervisor)
{
    struct progress progress;
    progress_begin(&progress, supervisor->options);
    while (targets_wanted(supervisor)) {
        wait_for_news(supervisor, progress_wait_ms(&progress));
        progress_show(&progress, atomic_load(&supervisor->channel.shared->counts.samples), supervisor->intake.record);
    }
    progress_end(&progress);
}

void supervisor_begin(struct supervisor *supervisor)
{
    children_changed(supervisor);
}

bool supervisor_goes_on(const struct supervisor *supervisor)
{
    if (!supervisor->options->command)
        return targets_wanted(supervisor);
    return !supervisor->closing && supervisor->tracer && !supervisor->command_ended;
}

void supervisor_await_command(struct supervisor *supervisor)
{
    while (supervisor->options->command && !supervisor->command_ended)
        wait_for_news(supervisor, -1);
}

void supervisor_end(struct supervisor *supervisor)
{
    await_tracer(supervisor);
    children_changed(supervisor); /* it may have ended while we were busy */
    if (supervisor->tracer)
        end_tracer(supervisor);
    while (intake_next(&supervisor->intake, &supervisor->channel.ring))
        ;
    intake_end(&supervisor->intake);
}

void supervisor_run(struct supervisor *supervisor)
{
    supervisor_begin(supervisor);
    if (!supervisor->options->command)
        attend_targets(supervisor);
    supervisor_await_command(supervisor);
    supervisor->asked_to_end = false;
    while (supervisor->options->command && daemons_wanted(supervisor))
        wait_for_news(supervisor, -1);
    supervisor_end(supervisor);
}

static uint64_t time_of(const struct rusage *usage)
{
    return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000u +
           (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000u;
}

/* The real time at which it was MONOTONIC_NS of monotonic time. */
static uint64_t real_time_of(uint64_t monotonic_ns)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - (wake_now() - monotonic_ns);
}

/* How many samples were missed for REASON, when RATE were wanted each second. */
static uint64_t missed(const struct tracer_counts *counts, enum missed_reason reason, uint32_t rate)
{
    int64_t ns = atomic_load(&counts->missed_ns[reason]);
    return ns > 0 ? (uint64_t)((double)ns * rate / 1e9 + 0.5) : 0;
}

void supervisor_quality(const struct supervisor *supervisor, struct profile_quality *quality)
{
    const struct shared *shared = supervisor->channel.shared;
    const struct tracer_counts *counts = &shared->counts;
    uint64_t began = atomic_load(&shared->began_ns), longest = atomic_load(&counts->longest_period_ns);
    uint32_t rate = supervisor->options->rate;
    struct rusage own;

    getrusage(RUSAGE_SELF, &own);
    quality->began_ns = began ? real_time_of(began) : 0;
    uint64_t ended = atomic_load(&shared->ended_ns) ? atomic_load(&shared->ended_ns) : supervisor->ended_ns;
    quality->wall_ns = began && ended > began ? ended - began : 0;
    quality->off_ns = switching_off_ns(&supervisor->switching, began, ended);
    quality->rate = rate;
    quality->wall = supervisor->options->wall;
    quality->lowest_rate = longest > 1000000000u / rate ? (uint32_t)(1000000000u / longest) : rate;
    quality->max_overhead = supervisor->options->max_overhead;
    quality->samples = supervisor->intake.record->sample_count;
    enum missed_reason reason = 0;
#define TAKE(name, number, key, text) quality->name = missed(counts, reason++, rate);
    MISSED_COUNTERS(TAKE)
#undef TAKE
#define TAKE(name, number, key, text) quality->name = atomic_load(&counts->name);
    TRACER_COUNTERS(TAKE)
#undef TAKE
    quality->pause_median_ns = quantile_read(&counts->pauses, 500);
    quality->pause_p99_ns = quantile_read(&counts->pauses, 990);
    quality->supervisor_cpu_ns = time_of(&supervisor->tracer_usage) + time_of(&own);
    quality->ended_early = supervisor->ended_early;
}
