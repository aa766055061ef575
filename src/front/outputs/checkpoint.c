/* SPDX-License-Identifier: MIT */
#include "front/outputs/checkpoint.h"

#include "common/base/time.h"
#include "common/text/say.h"
#include "front/outputs/file.h"
#include "front/outputs/options.h"
#include "front/outputs/outputs.h"
#include "front/record/record.h"
#include "front/session/finished.h"
#include "profile/profile/filter.h"
#include "profile/stored/writers.h"

#include <errno.h>
#include <unistd.h>

#define FIRST_NS UINT64_C(1000000000)
#define MOST_NS (60 * FIRST_NS)

enum { DOUBLINGS = 6, CPU_SHARE = 100, LOWEST = 19, KILL_PATIENCE_MS = 5000 };

static const char unfinished[] = "it was still being recorded when this was written";
static const char killed[] = "cannot write what has been recorded so far: the process that wrote it was killed";

uint64_t checkpoint_wait_ns(unsigned begun, uint64_t cpu_ns)
{
    uint64_t wait_ns = begun < DOUBLINGS ? FIRST_NS << begun : MOST_NS;
    return cpu_ns > wait_ns / CPU_SHARE ? cpu_ns * CPU_SHARE : wait_ns;
}

static bool is_wanted(const struct output *output)
{
    return output->option->format->write == stored_pprof_write && file_has_versions(&output->file);
}

static bool is_any_wanted(const struct outputs *outputs)
{
    bool wanted = false;
    for (size_t i = 0; i < outputs->count; i++)
        wanted |= is_wanted(&outputs->items[i]);
    return wanted;
}

/* If nothing matches the filter, keeps the whole profile, because the final version is then written whole, too. */
static int filter_profile(const struct output_options *options, struct profile *profile, struct error *error)
{
    struct error why = {0};
    bool found = false;
    if (!options->filter.asked.count || filter_check(&options->filter, profile, &why) < 0)
        return 0;
    if (filter_finds(&options->filter, profile, &found) < 0)
        return error_set(error, ENOMEM, "out of memory while the profile was filtered");
    return found ? outputs_choose(options, NULL, profile, error) : 0;
}

/* Writes a checkpoint, in a child. */
static void write_outputs(void *of, struct error *error)
{
    struct checkpoint *checkpoint = of;
    struct session *session = checkpoint->session;
    struct error why = {0};
    session->ended_early = session->ended_early ? session->ended_early : unfinished;
    struct profile *profile = finished_profile(session, &why);
    int result = profile ? filter_profile(checkpoint->options, profile, &why) : -ENOMEM;
    if (result < 0)
        error_set(error, -result, "cannot write what has been recorded so far: %s", why.text);
    for (size_t i = 0; !result && i < checkpoint->outputs->count; i++) {
        struct output *output = &checkpoint->outputs->items[i];
        int failed = is_wanted(output) ? output_write(output, profile, &checkpoint->outputs->form, true) : 0;
        if (failed < 0)
            error_system(error, -failed, "cannot write what has been recorded so far to '%s'", output->option->path);
    }
}

/* Returns true if ERRNUM does not merely show that checkpoints are impossible at this location. */
static bool is_failure(int errnum)
{
    return errnum && errnum != EACCES && errnum != EPERM && errnum != EROFS && errnum != ENOTSUP;
}

/* Uses the files that replaced outputs as the outputs. */
static void follow_files(struct checkpoint *checkpoint)
{
    for (size_t i = 0; i < checkpoint->outputs->count; i++)
        file_follow(&checkpoint->outputs->items[i].file);
}

static void plan_next(struct checkpoint *checkpoint, uint64_t cpu_ns)
{
    checkpoint->background.next_ns = checkpoint->began_ns + checkpoint_wait_ns(checkpoint->begun, cpu_ns);
}

static void take_report(struct checkpoint *checkpoint)
{
    struct background_report report;
    background_take(&checkpoint->background, killed, &report);
    follow_files(checkpoint);
    if (is_failure(report.error.errnum) && !checkpoint->warned) {
        say_line(stderr, "warning: %s; recording goes on", report.error.text);
        checkpoint->warned = true;
    }
    plan_next(checkpoint, report.cpu_ns);
}

void checkpoint_turn(struct checkpoint *checkpoint)
{
    struct session *session = checkpoint->session;
    struct background *background = &checkpoint->background;
    uint64_t now_ns = time_now_ns(), samples = session->record->sample_count;
    if (background->news >= 0 && background_is_done(background))
        take_report(checkpoint);
    if (now_ns < background_due_ns(background))
        return;
    checkpoint->began_ns = now_ns;
    plan_next(checkpoint, 0);
    if (samples == checkpoint->samples || session->closing || !is_any_wanted(checkpoint->outputs))
        return;
    checkpoint->begun++;
    checkpoint->samples = samples;
    int niceness = checkpoint->begun > 1 ? LOWEST : 0; /* on a busy machine, the lowest priority comes late */
    background_start(background, "pt-checkpoint", niceness, session, write_outputs, checkpoint);
}

void checkpoint_begin(struct checkpoint *checkpoint, struct session *session, struct outputs *outputs,
                      const struct output_options *options)
{
    *checkpoint = (struct checkpoint){.session = session,
                                      .outputs = outputs,
                                      .options = options,
                                      .background = {.news = -1, .next_ns = UINT64_MAX},
                                      .began_ns = time_now_ns()};
    if (is_any_wanted(outputs))
        plan_next(checkpoint, 0);
}

void checkpoint_end(struct checkpoint *checkpoint)
{
    struct background *background = &checkpoint->background;
    if (background->news < 0)
        return;
    close(background->news);
    background->news = -1;
    if (!child_kill(&background->child, KILL_PATIENCE_MS))
        child_leave(&background->child);
    follow_files(checkpoint);
}
