/* SPDX-License-Identifier: MIT */
#include "front/cli/report_command.h"

#include "common/base/buffer.h"
#include "common/text/say.h"
#include "front/cli/filter_options.h"
#include "front/cli/hints.h"
#include "front/cli/outputs.h"
#include "front/cli/verdict.h"
#include "profile/clickhouse/clickhouse.h"
#include "profile/profile/correspond.h"
#include "profile/profile/estimate.h"
#include "profile/stored/import.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A profile that a server has. */
static int read_query(struct builder *into, const struct options *options, const char *text, struct error *error)
{
    struct buffer note = {0};
    int result = clickhouse_fetch(into, text, options->push.headers, &note, error);
    if (!result && note.length)
        say_line(stderr, "the server %s", note.bytes);
    buffer_fini(&note);
    return result;
}

static int read_file(struct builder *into, const struct options *options, const char *path, struct error *error)
{
    struct error why = {0};
    struct stat about;
    bool standard = !strcmp(path, "-");
    if (clickhouse_is_query(path))
        return read_query(into, options, path, error);
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return error_system(error, errno, "cannot read the profile '%s'", path);
    struct buffer note = {0};
    const char *name = standard ? "standard input" : path;
    into->viewer = (struct viewer){0};
    if (fstat(fd, &about) == 0)
        viewer_take_owner(&into->viewer, &about);
    int result = import_read(into, fd, &note, &why);
    if (!standard)
        close(fd);
    if (result < 0)
        error_set(error, why.errnum, "'%s' %s", name, why.text);
    else if (note.length)
        say_line(stderr, "'%s' %s", name, note.bytes);
    buffer_fini(&note);
    return result;
}

static int out_of_memory(struct error *error)
{
    return error_set(error, ENOMEM, "out of memory while the profile was put together");
}

/* Reads all FILES into one profile. Free *PROFILE in either case. */
static int read_files(struct profile **profile, const struct options *options, const char *const *files,
                      struct error *error)
{
    struct builder builder;
    int result = 0;
    builder_init(&builder);
    for (; *files && !result; files++)
        result = read_file(&builder, options, *files, error);
    if (builder.mixed)
        say_line(stderr,
                 "added up: profiles of CPU time and of wall time (--clock=wall); only the latter contain waiting");
    *profile = builder_finish(&builder);
    return !result && !*profile ? out_of_memory(error) : result;
}

/* Estimates where time without samples was spent, unless it should stay separate, and filters PROFILE, which may be
 * NULL. */
static int choose(const struct options *options, struct profile *profile, struct error *error)
{
    int result = profile ? filter_check(&options->filter, profile, error) : 0;
    if (!profile || result)
        return result;
    if (!options->output.unsampled && estimate_apply(profile) < 0)
        return out_of_memory(error);
    return filter_apply(&options->filter, profile) < 0 ? out_of_memory(error) : 0;
}

/* Reports if no sample or function matched the options, and returns verdict_unfit. Otherwise returns 0, or -ENOMEM with
 * ERROR set. */
static int check_found(const struct options *options, const struct profile *profile, const struct profile *base,
                       struct error *error)
{
    struct buffer unfit = {0};
    int result = 0;
    if (!profile->process_count && !(base && base->process_count))
        filter_options_list(&options->filter, &unfit);
    else
        result = output_options_unfit(&options->output, profile, &unfit);
    if (result < 0)
        error_set(error, ENOMEM, "out of memory while functions were looked for");
    else if (unfit.length) {
        say_line(stderr, "nothing in '%s'%s fits%s", options->report.files[0],
                 options->report.base || options->report.files[1] ? " and the other profiles" : "", unfit.bytes);
        result = verdict_unfit(&options->output.budgets);
    }
    buffer_fini(&unfit);
    return result;
}

/* Reports that the filter options selected nothing on one side, so that there is nothing to compare. */
static void tell_empty(const struct options *options, const struct profile *profile, const struct profile *base)
{
    struct buffer unfit = {0};
    filter_options_list(&options->filter, &unfit);
    if (unfit.length && !base->process_count)
        say_line(stderr, "--diff: nothing in the base '%s' fits%s", options->report.base, unfit.bytes);
    else if (unfit.length && !profile->process_count)
        say_line(stderr, "--diff: nothing in '%s'%s fits%s, but in the base", options->report.files[0],
                 options->report.files[1] ? " and the other profiles" : "", unfit.bytes);
    buffer_fini(&unfit);
}

/* Gives both sides of a comparison equal names for modules, processes and functions that are versions of each other. */
static int put_together(struct profile *base, const struct profile *profile, struct error *error)
{
    struct buffer told = {0};
    int result = correspond(base, profile, &told);
    if (!result && told.length)
        say_line(stderr, "--diff: treated as versions of the same program: %s", told.bytes);
    buffer_fini(&told);
    return result < 0 ? error_set(error, ENOMEM, "out of memory while the profiles were compared") : 0;
}

/* Returns 0, or -errno with ERROR set unless the failure has been reported. */
static int write_all(const struct options *options, struct outputs *outputs, const struct profile *profile,
                     const struct profile *base, struct error *error)
{
    struct report_options *const forms[] = {&outputs->form, &outputs->screen};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        forms[i]->base = base;
        forms[i]->filters = options->filter.asked.items;
        forms[i]->filter_count = options->filter.asked.count;
    }
    int annotated = outputs_annotate(outputs, &options->output, profile, error);
    if (options->output.count) {
        int result = outputs_write(outputs, profile);
        outputs_complain(outputs);
        return annotated < 0 ? annotated : result;
    }
    if (annotated < 0 || options->session.quiet)
        return annotated;
    const struct report_format *format = options->output.on_screen;
    int result =
        outputs_show(format, output_options_for_people(format) ? &outputs->screen : &outputs->form, profile, stdout);
    if (!result && !base)
        hints_samples(profile, &outputs->screen, stderr);
    return result < 0 ? error_system(error, -result, "cannot write to standard output") : 0;
}

int report_command_run(const struct options *options, struct error *error)
{
    const char *base_files[] = {options->report.base, NULL};
    struct outputs outputs = {0};
    struct profile *profile = NULL, *base = NULL;
    bool whole = !options->report.base && !options->filter.asked.count; /* a stored profile contains measured times */
    signal(SIGXFSZ, SIG_IGN); /* exceeding a file size limit becomes an error, and leaves no partial file */
    int result = outputs_open(&outputs, &options->output, error);
    if (!result)
        result = read_files(&profile, options, (const char *const *)options->report.files, error);
    if (!result && options->report.base)
        result = read_files(&base, options, base_files, error);
    if (!result && !whole)
        result = choose(options, profile, error);
    if (!result && !whole)
        result = choose(options, base, error);
    if (!result)
        result = check_found(options, profile, base, error);
    if (!result && base) {
        tell_empty(options, profile, base);
        if (profile->quality.wall != base->quality.wall)
            say_line(stderr, "--diff: %s of CPU time, the other one of wall time: only that one contains waiting",
                     base->quality.wall ? "the profile is" : "the base is");
        result = put_together(base, profile, error);
    }
    if (!result && whole) {
        outputs_store(&outputs, profile);
        result = choose(options, profile, error);
    }
    if (!result)
        result = write_all(options, &outputs, profile, base, error);
    if (!result)
        result = verdict_say(&options->output.budgets, profile, base, error);
    outputs_close(&outputs);
    profile_free(profile);
    profile_free(base);
    return result;
}
