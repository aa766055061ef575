/* SPDX-License-Identifier: MIT */
#include "front/cli/record_command.h"

#include "common/base/proc.h"
#include "common/model/rate.h"
#include "common/text/say.h"
#include "common/wire/shared.h"
#include "front/cli/options.h"
#include "front/cli/run.h"
#include "front/hints/hints.h"
#include "front/naming/ahead.h"
#include "front/outputs/checkpoint.h"
#include "front/outputs/imposed.h"
#include "front/outputs/intervals.h"
#include "front/outputs/outputs.h"
#include "front/record/record.h"
#include "front/session/finished.h"
#include "front/session/options.h"
#include "tracer/calls/options.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* Shows the profile. Ignores write errors, because standard error may have no reader. Returns 0, or -ENOMEM with ERROR
 * set. */
static int report_on_screen(const struct options *options, const struct session *session, struct profile *profile,
                            const struct outputs *outputs, struct error *error)
{
    const struct report_format *format = options->output.on_screen;
    struct report_options screen = output_options_screen(&options->output, STDERR_FILENO);
    screen.filters = outputs->screen.filters;
    screen.filter_count = outputs->screen.filter_count;
    screen.annotation = outputs->form.annotation;
    if (options->output.annotate.text && !outputs->annotation.shown)
        format = report_format_by_name("flat");
    say_own(stderr, "\n");
    int result = outputs_fold_idle(&options->output, format, profile, error);
    if (!result)
        result = outputs_show(format, &screen, profile, stderr);
    hints_print(session, profile, &screen, stderr);
    return result == -ENOMEM ? error_set(error, ENOMEM, "out of memory while the table was put together") : 0;
}

static void say_calls(const struct session *session)
{
    const struct calls_counts *counts = &session->channel.shared->calls;
    if (!atomic_load(&counts->served) && !atomic_load(&counts->ticks) && !atomic_load(&counts->planted))
        return;
    say_line(stderr, "calls: %lu served, %lu ticks, code changed at %lu places",
             (unsigned long)atomic_load(&counts->served), (unsigned long)atomic_load(&counts->ticks),
             (unsigned long)atomic_load(&counts->planted));
    if (atomic_load(&counts->late))
        say_line(stderr,
                 "calls: %lu ticks are not counted, as they were found too late to tell which function they belong to",
                 (unsigned long)atomic_load(&counts->late));
}

static int worse(int status, int other)
{
    return status > other ? status : other;
}

/* Writes PROFILE to all outputs. FITS: something matched the filter, or there is none. Reports failures last, so that
 * they are seen. Returns an exit status. */
static int write_all(const struct options *options, const struct session *session, struct outputs *outputs,
                     struct profile *profile, bool fits)
{
    struct error of_annotation = {0}, of_screen = {0}, of_budgets = {0};
    int status = 0, verdict = 0;
    outputs_annotate(outputs, &options->output, profile, &of_annotation);
    if (outputs_write(outputs, profile) < 0)
        status = STATUS_FAILED;
    if (!options->session.quiet && (!outputs_are_of_silent_rank(outputs) || options->verbose))
        report_on_screen(options, session, profile, outputs, &of_screen);
    if (fits)
        verdict = verdict_say(&options->output.budgets, profile, NULL, &of_budgets);
    const struct error *errors[] = {&of_annotation, &of_screen, &of_budgets};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i]->errnum)
            status = run_failed(errors[i]);
    outputs_complain(outputs);
    if (options->output.open)
        outputs_show_page(outputs);
    return worse(status, verdict > 0 ? verdict : 0);
}

/* A recording, and everything that its end must undo. */
struct run {
    const struct options *options;
    struct outputs outputs; /* with --every, each interval opens its own instead */
    struct imposed imposed;
    struct interval_helpers helpers;
    union {
        struct checkpoint checkpoint;
        struct intervals intervals; /* with --every */
    };
    struct naming_ahead ahead; /* reads files for names; with --every, the helpers do */
    struct record record;
    struct session session;
};

/* Returns false if nobody sees a name: nothing is shown or written, and nothing is compared with names. */
static bool needs_names(const struct run *run)
{
    const struct output_options *output = &run->options->output;
    return !run->options->session.quiet || output->count || output->open || output->filter.asked.count ||
           output->budgets.count || output->callers.text || output->callees.text || output->annotate.text ||
           run->options->session.impose.kind != CALL_NONE;
}

/* Looks up names and writes the profile, after the end of the command. Returns an exit status. */
static int write_profile(struct run *run)
{
    const struct options *options = run->options;
    const struct filter *filter = &options->output.filter;
    struct outputs *outputs = &run->outputs;
    struct error error = {0}, of_calls = {0};
    if (!needs_names(run))
        return 0;
    run->session.names = &run->ahead.server;
    struct profile *profile = finished_profile(&run->session, &error);
    if (!profile)
        return run_failed(&error);
    imposed_write(&run->imposed, session_shadows(&run->session), profile, &of_calls);
    int status = verdict_of_filter(&options->output, profile);
    bool fits = !status, whole = !fits || !filter->asked.count;
    if (outputs_choose(&options->output, whole ? outputs : NULL, profile, &error) < 0) {
        status = run_failed(&error);
    } else {
        if (fits) {
            outputs->form.filters = outputs->screen.filters = filter->asked.items;
            outputs->form.filter_count = outputs->screen.filter_count = filter->asked.count;
        }
        status = worse(status, verdict_of_functions(&options->output, "the profile", profile));
        status = worse(status, write_all(options, &run->session, outputs, profile, fits));
    }
    if (of_calls.errnum)
        status = run_failed(&of_calls);
    profile_free(profile);
    return status;
}

static void warn_of_rate(const struct options *options)
{
    long ticks = sysconf(_SC_CLK_TCK);
    if (options->session.calls != CALLS_OFF && (long)options->session.hz != ticks)
        say_line(stderr,
                 "the calls tick at %u Hz, but a gmon.out that the program writes itself will claim %ld: "
                 "scale its seconds by %ld/%u",
                 (unsigned)options->session.hz, ticks, ticks, (unsigned)options->session.hz);
}

/* If this process is a rank that --only-ranks excludes, runs the command in its place. Returns 0, or an exit status. */
static int run_if_left_out(const struct options *options)
{
    const struct rank rank = output_name_own().rank;
    if (!options->only_ranks)
        return 0;
    if (!options->session.command || !rank.known) {
        say_line(stderr,
                 "--only-ranks: no launcher of parallel jobs (mpirun, srun) started this ptprofil; with the launcher "
                 "below it, use --rank=%s",
                 options->only_ranks);
        return STATUS_FAILED;
    }
    if (rank_is_in(options->only_ranks, rank.number))
        return 0;
    execvp(options->session.command[0], options->session.command);
    return run_not_executed(options, errno);
}

static void say_start(const struct run *run)
{
    const struct session_options *options = &run->options->session;
    outputs_say_names(&run->outputs);
    if (!run->session.exec_error && run->options->verbose && (options->command || options->targets.count))
        say_line(stderr, "profiling process %d at %u Hz%s",
                 (int)(options->command ? run->session.jobcontrol.command : options->targets.items[0]),
                 (unsigned)rate_hz(options->rate, 0), options->rate == RATE_AUTO ? " at first (--rate=auto)" : "");
}

/* Opens all outputs and starts the session. Returns 0, or -errno with ERROR set. */
static int start_run(struct run *run, char *title, size_t title_size, struct error *error)
{
    const struct options *options = run->options;
    int result = imposed_open(&run->imposed, &options->session, error);
    if (!result)
        result = outputs_open(&run->outputs, &options->output, error);
    if (!result && options->helpers)
        run->helpers = *options->helpers;
    else if (!result)
        result = interval_helpers_start(&run->helpers, &options->intervals, options->session.max_memory, error);
    if (!result)
        result = session_start(&run->session, &options->session, &run->record, title, title_size, error);
    if (result < 0)
        return result;
    run->session.command_line = run_command_line(options);
    say_start(run);
    return 0;
}

/* Says that the tracer died, if it did. What was recorded before has been written. Returns an exit status. */
static int say_lost_tracer(const struct session *session)
{
    if (!session->tracer_lost)
        return 0;
    say_line(stderr, "sampling ended early: %s", session->ended_early);
    return STATUS_FAILED;
}

/* Runs the session, and writes one profile at its end, or with --every one of each interval. Returns an exit status. */
static int run_session(struct run *run)
{
    const struct options *options = run->options;
    bool every = options->intervals.every_ns;
    struct background *background = every ? &run->intervals.background : &run->checkpoint.background;
    if (every) {
        outputs_close(&run->outputs);
        intervals_begin(&run->intervals, &run->session, &options->intervals, &options->output, &run->helpers);
    } else {
        bool is_ahead = options->session.command && needs_names(run); /* others are long, and memory would be held */
        run->session.ahead = is_ahead ? &run->ahead : NULL;
        checkpoint_begin(&run->checkpoint, &run->session, &run->outputs, &options->output);
    }
    while (session_run(&run->session, background_due_ns(background), background->news))
        if (every)
            intervals_turn(&run->intervals);
        else
            checkpoint_turn(&run->checkpoint);
    if (!every)
        checkpoint_end(&run->checkpoint);
    if (run->session.exec_error)
        return run_not_executed(options, run->session.exec_error);
    if (options->verbose)
        say_calls(&run->session);
    int status;
    if (every)
        status = intervals_end(&run->intervals) < 0 ? STATUS_FAILED : 0;
    else
        status = write_profile(run);
    return worse(status, say_lost_tracer(&run->session));
}

int record_command_run(const struct options *options, char *title, size_t title_size)
{
    struct error error = {0};
    struct run run = {.options = options, .helpers = INTERVAL_HELPERS_NONE, .ahead = NAMING_AHEAD_NONE};
    int status = run_if_left_out(options);
    if (status)
        return status;
    warn_of_rate(options);
    hints_remote_launcher(&options->session, stderr);
    if (proc_prove(&error) < 0)
        return run_failed(&error);
    run_warn_of_stopped(&options->session.targets);
    bool started = start_run(&run, title, title_size, &error) == 0;
    status = started ? run_session(&run) : run_failed(&error);
    if (!options->helpers)
        interval_helpers_end(&run.helpers);
    naming_ahead_end(&run.ahead);
    outputs_close(&run.outputs);
    imposed_close(&run.imposed);
    session_release(&run.session);
    record_fini(&run.record);
    if (!started || run.session.exec_error)
        return status;
    channel_close(&run.session.channel);
    /* Callers check the command's status. A failure of ours, or an exceeded budget, changes it only if it would be
     * success. */
    if (status && WIFEXITED(run.session.command_status) && !WEXITSTATUS(run.session.command_status))
        return status;
    jobcontrol_end_as(run.session.command_status);
}
