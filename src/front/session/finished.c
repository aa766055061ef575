/* SPDX-License-Identifier: MIT */
#include "front/session/finished.h"

#include "common/base/proc.h"
#include "common/base/time.h"
#include "common/model/missed.h"
#include "common/model/quality.h"
#include "common/model/rate.h"
#include "common/wire/shared.h"
#include "front/naming/name_server.h"
#include "front/naming/naming.h"
#include "front/session/intake.h"
#include "front/session/progress.h"
#include "front/session/session.h"
#include "front/session/switching.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Converts monotonic time MONOTONIC_NS to real time. */
static uint64_t real_time_of(uint64_t monotonic_ns)
{
    return time_read_ns(CLOCK_REALTIME) - (time_now_ns() - monotonic_ns);
}

/* Returns how many samples of the interval were missed for REASON. */
static uint64_t missed_for(const struct session *session, enum missed_reason reason)
{
    int64_t millionths = atomic_load(&session->channel.shared->counts.missed[reason]) -
                         atomic_load(&session->since.counts.missed[reason]);
    return millionths > 0 ? ((uint64_t)millionths + 500000) / 1000000 : 0;
}

/* Returns the monotonic time at which the record's interval began, or 0 if it has not begun. */
static uint64_t began(const struct session *session)
{
    return session->since.began_ns ? session->since.began_ns : atomic_load(&session->channel.shared->began_ns);
}

/* Sets the requested rate and its changes. */
static void set_rates(const struct session *session, struct profile_quality *quality)
{
    const struct tracer_counts *counts = &session->channel.shared->counts;
    uint64_t began_ns = began(session);
    uint64_t longest_ns = atomic_load(&counts->longest_period_ns);
    uint32_t rate = session->options->rate, lowest = longest_ns ? (uint32_t)(1000000000u / longest_ns) : UINT32_MAX;
    quality->rate = quality->last_rate = rate_hz(rate, 0);
    for (unsigned i = 1; i < RATE_STEPS; i++) {
        uint64_t at_ns = atomic_load(&counts->rates[i].began_ns);
        if (!at_ns)
            continue;
        quality->last_rate = rate_hz(rate, i);
        if (session->since.began_ns && at_ns <= began_ns)
            quality->rate = quality->last_rate; /* of an earlier interval */
        else
            quality->changes[quality->change_count++] =
                (struct profile_rate_change){at_ns > began_ns ? at_ns - began_ns : 0, quality->last_rate};
    }
    quality->lowest_rate = lowest < quality->rate ? lowest : quality->rate;
}

/* Returns the average of the requested rate. */
static double mean_rate(const struct session *session)
{
    uint64_t sampled_ns[RATE_STEPS];
    for (unsigned i = 0; i < RATE_STEPS; i++)
        sampled_ns[i] = atomic_load(&session->channel.shared->counts.rates[i].sampled_ns) -
                        atomic_load(&session->since.counts.rates[i].sampled_ns);
    return rate_mean(session->options->rate, sampled_ns);
}

static struct quantile pauses(const struct session *session)
{
    const struct quantile *earlier = &session->since.counts.pauses;
    struct quantile pauses = session->channel.shared->counts.pauses;
    pauses.total = 0;
    for (unsigned i = 0; i < QUANTILE_CLASSES; i++)
        pauses.total += pauses.counts[i] -= earlier->counts[i];
    return pauses;
}

static uint64_t off_ns(const struct session *session, uint64_t ended_ns)
{
    return switching_off_ns(&session->switching, atomic_load(&session->channel.shared->began_ns), ended_ns);
}

/* NAMES_NS: CPU time of the processes that have looked up names for this profile. */
static void set_quality(const struct session *session, struct profile_quality *quality, uint64_t names_ns)
{
    const struct shared *shared = session->channel.shared;
    const struct tracer_counts *counts = &shared->counts;
    const struct session_since *since = &session->since;
    const struct quantile pause = pauses(session);
    uint64_t began_ns = began(session);
    struct rusage own;

    getrusage(RUSAGE_SELF, &own);
    quality->began_ns = began_ns ? real_time_of(began_ns) : 0;
    uint64_t ended = atomic_load(&shared->ended_ns) ? atomic_load(&shared->ended_ns) : session->ended_ns;
    quality->wall_ns = began_ns && ended > began_ns ? ended - began_ns : 0;
    quality->off_ns = off_ns(session, ended) - since->off_ns;
    set_rates(session, quality);
    quality->wall = session->options->wall;
    quality->max_overhead = session->options->max_overhead;
    quality->samples = session->intake->record->sample_count;
    enum missed_reason reason = 0;
#define TAKE(name, number, key, text) quality->counters[QUALITY_##name] = missed_for(session, reason++);
    MISSED_COUNTERS(TAKE)
#undef TAKE
#define TAKE(name, number, key, text)                                                                                  \
    quality->counters[QUALITY_##name] = atomic_load(&counts->name) - atomic_load(&since->counts.name);
    TRACER_COUNTERS(TAKE)
#undef TAKE
    quality->pause_median_ns = quantile_read(&pause, 500);
    quality->pause_p99_ns = quantile_read(&pause, 990);
    quality->supervisor_cpu_ns = time_of_usage(&session->tracer_usage) + time_of_usage(&own) - since->cpu_ns + names_ns;
    quality->ended_early = session->ended_early;
    if (session->options->command && WIFSIGNALED(session->command_status))
        quality->signal = (uint32_t)WTERMSIG(session->command_status);
}

/* Sets how many samples PROFILE was due. At most the samples that were not taken can be missed, because a thread may by
 * chance have had samples that another thread lacks. */
static void count_due(struct profile *profile, double rate)
{
    struct profile_quality *quality = &profile->quality;
#define COUNTER(name, number, key, text) &quality->counters[QUALITY_##name],
    uint64_t *const reasons[] = {&quality->counters[QUALITY_lost_unsampled], &quality->counters[QUALITY_lost_crowd],
                                 MISSED_COUNTERS(COUNTER)};
#undef COUNTER
    enum { REASONS = sizeof reasons / sizeof *reasons };
    uint64_t counts[REASONS], unsampled_ns = 0, crowd = quality->counters[QUALITY_lost_crowd];
    for (size_t i = 0; i < profile->process_count; i++)
        unsampled_ns += profile_unsampled_ns(&profile->processes[i]);
    quality->due = (uint64_t)((double)profile_ns(profile) * rate / 1e9);
    uint64_t unsampled = (uint64_t)((double)unsampled_ns * rate / 1e9);
    quality->counters[QUALITY_lost_unsampled] = unsampled > crowd ? unsampled - crowd : 0; /* a crowd is mostly short */
    for (size_t i = 0; i < REASONS; i++)
        counts[i] = *reasons[i];
    missed_fit(quality->due, quality->samples + quality->counters[QUALITY_lost_full], counts, REASONS);
    for (size_t i = 0; i < REASONS; i++)
        *reasons[i] = counts[i];
}

static uint64_t cpu_ns_of(pid_t pid)
{
    clockid_t clock;
    return pid && clock_getcpuclockid(pid, &clock) == 0 ? time_read_ns(clock) : 0;
}

void finished_count(const struct session *session, struct session_since *now)
{
    struct rusage own;
    getrusage(RUSAGE_SELF, &own);
    memcpy(&now->counts, &session->channel.shared->counts, sizeof now->counts);
    now->began_ns = time_now_ns();
    now->off_ns = off_ns(session, now->began_ns);
    now->cpu_ns =
        time_of_usage(&own) + (session->tracer ? cpu_ns_of(session->tracer) : time_of_usage(&session->tracer_usage));
}

void finished_settle(const struct session *session, int niceness)
{
    const struct sched_param none = {0};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC),
        score = proc_open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    if (score >= 0 && write(score, "1000", 4) > 0)
        close(score);
    close(session->jobcontrol.descriptor);
    close(session->channel.front_socket);
    close(session->channel.ready);
    sched_setscheduler(0, SCHED_BATCH, &none);
    if (niceness)
        setpriority(PRIO_PROCESS, 0, niceness);
}

int finished_until(struct session *session, const struct session_since *now)
{
    struct shared *shared = malloc(sizeof *shared);
    if (!shared)
        return -ENOMEM;
    memcpy(shared, session->channel.shared, sizeof *shared); /* the tracer goes on counting */
    memcpy(&shared->counts, &now->counts, sizeof shared->counts);
    session->channel.shared = shared;
    if (session->tracer)
        session->ended_ns = now->began_ns;
    session->tracer_usage = (struct rusage){
        .ru_utime = {(time_t)(now->cpu_ns / 1000000000u), (suseconds_t)(now->cpu_ns % 1000000000u / 1000)}};
    return 0;
}

static void show_names(void *of, const char *path, size_t done, size_t count)
{
    progress_names(of, path, done, count);
}

struct profile *finished_profile(struct session *session, struct error *error)
{
    struct record *record = session->intake->record;
    struct progress progress;
    const struct naming_watch watch = {show_names, &progress};
    record->began_ns = began(session);
    progress_begin(&progress, session->options);
    struct name_server own = NAME_SERVER_NONE, *names = session->names ? session->names : &own;
    struct profile *profile = naming_profile(record, names, &watch, error);
    progress_end(&progress);
    uint64_t names_ns = names->cpu_ns;
    name_server_end(&own);
    if (!profile)
        return NULL;
    set_quality(session, &profile->quality, names_ns);
    count_due(profile, mean_rate(session));
    const char *command = session_command_line(session);
    profile->command = command ? strdup(command) : NULL;
    return profile;
}
