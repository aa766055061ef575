/* SPDX-License-Identifier: MIT */
#include "front/cli/report_command.h"

#include "common/base/buffer.h"
#include "common/text/say.h"
#include "front/cli/options.h"
#include "front/cli/report_screen.h"
#include "front/hints/hints.h"
#include "front/outputs/outputs.h"
#include "front/outputs/verdict.h"
#include "profile/clickhouse/clickhouse.h"
#include "profile/profile/correspond.h"
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
    int result = clickhouse_fetch(into, text, options->intervals.push.headers, &note, error);
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
    return result || *profile ? result : error_set(error, ENOMEM, "out of memory while the profile was put together");
}

/* Appends what the first profile is called in messages. OTHERS: there are others. */
static void put_name(struct buffer *where, const struct options *options, bool others)
{
    buffer_printf(where, "'%s'%s", options->report.files[0], others ? " and the other profiles" : "");
}

/* Reports if no sample or function matched the options. Returns the exit status then, or 0. */
static int check_found(const struct options *options, const struct profile *profile, const struct profile *base)
{
    const struct output_options *output = &options->output;
    struct buffer where = {0};
    put_name(&where, options, options->report.base || options->report.files[1]);
    bool empty = !profile->process_count && !(base && base->process_count);
    int status = empty ? verdict_nothing_fits(output, "", where.bytes ? where.bytes : "?", "")
                       : verdict_of_functions(output, where.bytes ? where.bytes : "?", profile);
    buffer_fini(&where);
    return status;
}

/* Reports that the filter options selected nothing on one side, so that there is nothing to compare. */
static void say_empty(const struct options *options, const struct profile *profile, const struct profile *base)
{
    struct buffer where = {0};
    if (!base->process_count)
        buffer_printf(&where, "the base '%s'", options->report.base);
    else if (!profile->process_count)
        put_name(&where, options, options->report.files[1]);
    if (where.length)
        verdict_nothing_fits(&options->output, "--diff: ", where.bytes, base->process_count ? ", but in the base" : "");
    buffer_fini(&where);
}

/* Prepares to compare PROFILE with BASE: gives both sides equal names for modules, processes and functions that are
 * versions of each other. */
static int put_together(const struct options *options, struct profile *base, const struct profile *profile,
                        struct error *error)
{
    struct buffer equal = {0};
    say_empty(options, profile, base);
    if (profile->quality.wall != base->quality.wall)
        say_line(stderr, "--diff: %s of CPU time, the other one of wall time: only that one contains waiting",
                 base->quality.wall ? "the profile is" : "the base is");
    int result = correspond(base, profile, &equal);
    if (!result && equal.length)
        say_line(stderr, "--diff: treated as versions of the same program: %s", equal.bytes);
    buffer_fini(&equal);
    return result < 0 ? error_set(error, ENOMEM, "out of memory while the profiles were compared") : 0;
}

/* Returns 0, or -errno with ERROR set unless the failure has been reported. */
static int write_all(const struct options *options, struct outputs *outputs, struct profile *profile,
                     const struct profile *base, struct error *error)
{
    struct report_options *const forms[] = {&outputs->form, &outputs->screen};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        forms[i]->base = base;
        forms[i]->filters = options->output.filter.asked.items;
        forms[i]->filter_count = options->output.filter.asked.count;
    }
    int annotated = outputs_annotate(outputs, &options->output, profile, error);
    if (options->output.count) {
        int result = outputs_write(outputs, profile);
        outputs_complain(outputs);
        if (options->output.open)
            outputs_show_page(outputs);
        return annotated < 0 ? annotated : result;
    }
    if (annotated < 0 || options->session.quiet)
        return annotated;
    const struct report_format *format = options->output.on_screen;
    if (!base && outputs_fold_idle(&options->output, format, profile, error) < 0)
        return -ENOMEM;
    if (options->report.interactive && report_screen_is_possible())
        return report_screen_run(options, profile, error);
    int result =
        outputs_show(format, output_options_for_people(format) ? &outputs->screen : &outputs->form, profile, stdout);
    if (!result && !base)
        hints_samples(profile, &outputs->screen, stderr);
    return result < 0 ? error_system(error, -result, "cannot write to standard output") : 0;
}

/* Selects what is shown, and reports if nothing matches. A whole profile is stored as measured, before times are
 * estimated, but only if it has what the options ask for. Otherwise they are estimated first, because the filter
 * applies to the estimate. Returns 0, an exit status, or -errno with ERROR set. */
static int choose(const struct options *options, struct outputs *outputs, struct profile *profile, struct profile *base,
                  struct error *error)
{
    const struct output_options *output = &options->output;
    bool whole = !base && !output->filter.asked.count;
    int result = whole ? 0 : outputs_choose(output, NULL, profile, error);
    if (!result && base)
        result = outputs_choose(output, NULL, base, error);
    if (!result)
        result = check_found(options, profile, base);
    if (!result && base)
        result = put_together(options, base, profile, error);
    if (!result && whole)
        result = outputs_choose(output, outputs, profile, error);
    return result;
}

int report_command_run(const struct options *options, struct error *error)
{
    const char *base_files[] = {options->report.base, NULL};
    struct outputs outputs = {0};
    struct profile *profile = NULL, *base = NULL;
    signal(SIGXFSZ, SIG_IGN); /* exceeding a file size limit becomes an error, and leaves no partial file */
    int result = outputs_open(&outputs, &options->output, error);
    if (!result)
        result = read_files(&profile, options, (const char *const *)options->report.files, error);
    if (!result && options->report.base)
        result = read_files(&base, options, base_files, error);
    if (!result)
        result = choose(options, &outputs, profile, base, error);
    if (!result)
        result = write_all(options, &outputs, profile, base, error);
    if (!result)
        result = verdict_say(&options->output.budgets, profile, base, error);
    outputs_close(&outputs);
    profile_free(profile);
    profile_free(base);
    return result;
}
