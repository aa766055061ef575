/* SPDX-License-Identifier: MIT */
#include "front/outputs/intervals.h"

#include "common/base/time.h"
#include "common/text/say.h"
#include "front/outputs/outputs.h"
#include "front/record/record.h"
#include "front/session/attaching.h"
#include "front/session/finished.h"
#include "front/session/options.h"
#include "profile/profile/profile.h"
#include "profile/stored/writers.h"

#include <errno.h>
#include <stdlib.h>

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)

/* Low priority for the child that writes an interval, but not the lowest: it must finish within an interval. */
enum { NICENESS = 10 };

/* Kept names may use 1/4 of --max-memory, or 64 MiB if there is no limit. */
enum { NAMES_SHARE = 4, NAMES_MOST = 64 << 20 };

static const char killed[] = "the process that wrote it was killed";

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

static void write_output(const struct output_name *name, const struct output_option *option,
                         const struct profile *profile, const struct report_options *form, struct error *error)
{
    struct output output = {.option = option, .file.fd = -1};
    int result = output_open(&output, name, error);
    if (!result) { /* if possible, nobody sees a part of it */
        result = output_write(&output, profile, form, file_has_versions(&output.file));
        if (result < 0)
            error_system(error, -result, "cannot write the output '%s'", output.path);
    }
    file_end(&output.file, result < 0);
    free(output.path);
}

/* Writes PROFILE to the outputs that store it as measured, or with LATER to the others. */
static void write_outputs(const struct intervals *intervals, const struct profile *profile, bool later,
                          struct error *error)
{
    const struct output_options *output = intervals->output;
    const struct report_options form = output_options_form(output);
    bool filtered = output->filter.asked.count > 0;
    for (size_t i = 0; i < output->count; i++)
        if (later == (filtered || output->items[i].format->write != stored_pprof_write))
            write_output(&intervals->name, &output->items[i], profile, &form, error);
}

/* Writes and sends the profile of an interval. A filter may leave nothing of it. */
static void write_profile(void *of, struct error *error)
{
    const struct intervals *intervals = of;
    const struct push *push = &intervals->helpers.push;
    struct profile *profile = finished_profile(intervals->session, error);
    if (!profile)
        return;
    bool filtered = intervals->output->filter.asked.count > 0;
    write_outputs(intervals, profile, false, error);
    if (!filtered)
        push_profile(push, PUSH_KEEPS, profile, error);
    if (!outputs_choose(intervals->output, NULL, profile, error)) {
        write_outputs(intervals, profile, true, error);
        push_profile(push, filtered ? PUSH_KEEPS | PUSH_SHOWS : PUSH_SHOWS, profile, error);
    }
    profile_free(profile);
}

static void count_loss(struct intervals *intervals, const struct error *error)
{
    if (!intervals->lost++) {
        intervals->failure = *error;
        say_line(stderr, "warning: the profile of an interval is lost: %s; recording goes on", error->text);
    }
}

static void take_report(struct intervals *intervals)
{
    struct background_report report;
    background_take(&intervals->background, killed, &report);
    if (report.error.errnum)
        count_loss(intervals, &report.error);
}

/* Hands the record over to a child, and begins the next interval. If that fails, this interval goes on. */
static void begin_interval(struct intervals *intervals)
{
    struct session *session = intervals->session;
    struct background *background = &intervals->background;
    record_levels_end(session->record, HASH_NONE);
    int result = background_start(background, "pt-interval", NICENESS, session, write_profile, intervals);
    background->next_ns = background->now.began_ns + intervals->options->every_ns;
    if (result < 0)
        return;
    session_renew(session, &background->now);
    intervals->ended++;
    name_interval(intervals);
}

void intervals_turn(struct intervals *intervals)
{
    struct session *session = intervals->session;
    struct background *background = &intervals->background;
    if (background->news >= 0 && background_is_done(background))
        take_report(intervals);
    if (session->closing)
        background->next_ns = UINT64_MAX; /* the last interval is for intervals_end */
    if (time_now_ns() < background_due_ns(background))
        return;
    if (session->options->search_again)
        attaching_again(session, &(struct error){0});
    begin_interval(intervals);
}

int interval_helpers_start(struct interval_helpers *helpers, const struct interval_options *options,
                           uint64_t max_memory, struct error *error)
{
    *helpers = (struct interval_helpers)INTERVAL_HELPERS_NONE;
    if (options->every_ns)
        name_server_start(&helpers->names, max_memory ? max_memory / NAMES_SHARE : NAMES_MOST, true);
    int result = push_begin(&helpers->push, &options->push, error);
    if (result < 0)
        name_server_end(&helpers->names);
    return result;
}

void interval_helpers_end(struct interval_helpers *helpers)
{
    name_server_end(&helpers->names);
    push_end(&helpers->push);
}

void intervals_begin(struct intervals *intervals, struct session *session, const struct interval_options *options,
                     const struct output_options *output, const struct interval_helpers *helpers)
{
    uint64_t now_ns = time_now_ns();
    *intervals = (struct intervals){.session = session,
                                    .options = options,
                                    .output = output,
                                    .helpers = *helpers,
                                    .name = output_name_own(),
                                    .background = {.news = -1, .next_ns = now_ns + options->every_ns}};
    session->names = &intervals->helpers.names;
    intervals->name.exact = options->every_ns % SECOND_NS != 0;
    name_interval(intervals);
}

int intervals_end(struct intervals *intervals)
{
    struct error error = {0};
    if (intervals->background.news >= 0)
        take_report(intervals);
    intervals->ended++;
    write_profile(intervals, &error);
    if (error.errnum)
        count_loss(intervals, &error);
    name_server_hang_up(&intervals->helpers.names);
    if (intervals->lost > 1)
        say_line(stderr, "the profiles of %llu of %llu intervals are lost, the first because: %s",
                 (unsigned long long)intervals->lost, (unsigned long long)intervals->ended, intervals->failure.text);
    return -intervals->failure.errnum;
}
