/* SPDX-License-Identifier: MIT */
#include "front/outputs/outputs.h"

#include "common/text/say.h"
#include "front/naming/code_names.h"
#include "front/naming/name_server.h"
#include "front/outputs/browser.h"
#include "front/outputs/output_name.h"
#include "profile/profile/estimate.h"
#include "profile/profile/idle.h"
#include "profile/profile/profile.h"
#include "profile/stored/writers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Checks that the last opened output is not the same file as another one. */
static int check_twice(const struct outputs *outputs, struct error *error)
{
    const struct output *last = &outputs->items[outputs->count - 1];
    for (size_t i = 0; i + 1 < outputs->count; i++)
        if (file_is_same(&outputs->items[i].file, &last->file))
            return error_set(error, EINVAL,
                             "-o, --output: '%s' and '%s' are the same file: the second would overwrite the first",
                             outputs->items[i].path, last->path);
    return 0;
}

int output_open(struct output *output, const struct output_name *name, struct error *error)
{
    const struct output_option *option = output->option;
    output->path =
        option->temporary ? browser_new_page(error) : output_name_expand(name, option->path, option->format, error);
    int result = output->path ? output_name_folders(option->path, output->path, error) : -error->errnum;
    if (!result && (result = file_open(&output->file, output->path)) < 0)
        error_system(error, -result, "cannot write the output '%s'", output->path);
    return result;
}

int outputs_open(struct outputs *outputs, const struct output_options *options, struct error *error)
{
    const struct output_name name = output_name_own();
    outputs->count = 0;
    outputs->rank = name.rank;
    outputs->form = output_options_form(options);
    outputs->screen = output_options_screen(options, STDOUT_FILENO);
    outputs->items = calloc(options->count + 1, sizeof *outputs->items);
    if (!outputs->items)
        return error_set(error, ENOMEM, "out of memory");
    for (size_t i = 0; i < options->count; i++) {
        struct output *output = &outputs->items[i];
        output->option = &options->items[i];
        output->file.fd = -1;
        outputs->count++;
        int result = output_open(output, &name, error);
        if (result < 0)
            return result;
        if (check_twice(outputs, error) < 0)
            return -EINVAL;
        if (output->option->format->binary && isatty(output->file.fd))
            return error_set(error, EINVAL,
                             "refusing to write binary %s data to a terminal: give -o another name, or redirect it",
                             output->option->format->name);
    }
    return 0;
}

bool outputs_are_of_silent_rank(const struct outputs *outputs)
{
    return outputs->rank.known && outputs->rank.number > 0;
}

void outputs_say_names(const struct outputs *outputs)
{
    for (size_t i = 0; i < outputs->count && !outputs_are_of_silent_rank(outputs); i++)
        if (!outputs->items[i].option->temporary && strcmp(outputs->items[i].path, outputs->items[i].option->path) &&
            !strchr(outputs->items[i].option->path, '%'))
            say_line(stderr, "-o %s: each of the %u ranks writes a file of its own, this one %s",
                     outputs->items[i].option->path, (unsigned)outputs->rank.count, outputs->items[i].path);
}

/* Reads the code of CHOICE. Returns 0 if any of its parts can be shown. */
static int read_one(struct annotation *annotation, const struct annotation_choice *choice,
                    const struct output_options *options, const struct profile *profile, const struct code_names *names,
                    struct error *error)
{
    struct error why = {0};
    struct code_calls calls = {{&annotation->pattern->compiled, 1, annotation->pattern->text}, annotation->least};
    bool shown = false;
    for (size_t i = choice->first; i < choice->first + choice->count; i++) {
        struct annotation_part *part = &annotation->parts[i];
        part->shown = !code_read(&part->code, profile, part->location, options->sysroot, names,
                                 choice->inlined ? &calls : NULL, &why);
        shown |= part->shown;
    }
    return shown ? 0 : error_set(error, why.errnum, "--annotate: '%s' cannot be shown: %s", choice->name, why.text);
}

/* Fills ANNOTATION, which is zeroed. If no function of PROFILE matches, it has no items. Reports functions that cannot
 * be shown if others can. */
static int read_annotation(struct annotation *annotation, const struct output_options *options,
                           const struct profile *profile, const struct code_names *names, struct error *error)
{
    size_t most = output_options_annotated(options);
    if (options->annotate.text && annotation_choose(annotation, profile, &options->annotate) < 0)
        return error_set(error, ENOMEM, "out of memory while the code was read");
    if (!annotation->count)
        return 0;
    size_t count = most && most < annotation->count ? most : annotation->count;
    for (size_t i = 0; i < count; i++) {
        struct annotation_choice choice = annotation->items[i];
        struct error why = {0};
        int result = read_one(annotation, &choice, options, profile, names, count > 1 ? &why : error);
        if (result < 0 && count > 1)
            say_line(stderr, "%s", why.text);
        if (result < 0)
            continue;
        annotation->items[i] = annotation->items[annotation->shown];
        annotation->items[annotation->shown++] = choice;
    }
    for (size_t i = annotation->shown; i < count; i++)
        free(annotation->items[i].name);
    annotation->count -= count - annotation->shown;
    memmove(&annotation->items[annotation->shown], &annotation->items[count],
            (annotation->count - annotation->shown) * sizeof *annotation->items);
    return annotation->shown ? 0 : error_set(error, ENODATA, "--annotate: none of the functions can be shown");
}

int outputs_annotate(struct outputs *outputs, const struct output_options *options, const struct profile *profile,
                     struct error *error)
{
    outputs->form.annotation = outputs->screen.annotation = &outputs->annotation;
    struct name_server server = NAME_SERVER_NONE;
    const struct code_names names = code_names_of(&server);
    int result = read_annotation(&outputs->annotation, options, profile, &names, error);
    name_server_end(&server);
    return result;
}

static int set_failure(struct output *output, const char *suffix, int result)
{
    return error_system(&output->failure, -result, "cannot write the output '%s%s'", output->path, suffix);
}

int output_write(struct output *output, const struct profile *profile, const struct report_options *form, bool again)
{
    struct file *file = &output->file;
    FILE *stream = again ? file_begin_version(file) : file_begin(file);
    if (!stream)
        return -errno;
    int result = report_write(output->option->format, profile, form, stream);
    return again ? file_finish_version(file, stream, result) : file_finish(file, stream, result);
}

static int write_part(struct output *output, const struct profile *profile, const struct report_part *part)
{
    bool first = !*part->suffix || output->file.standard;
    struct file other = {.fd = -1}, *file = first ? &output->file : &other;
    if (!first) {
        char path[8192];
        snprintf(path, sizeof path, "%s%s", output->path, part->suffix);
        int result = file_open(&other, path);
        if (result < 0)
            return result;
    }
    FILE *stream = file_begin(file);
    if (!stream)
        return -errno;
    return file_finish(file, stream, output->option->format->write_module(profile, part->module, stream));
}

static int write_parts(struct output *output, const struct profile *profile)
{
    struct report_parts parts;
    int result = report_parts_init(&parts, profile), first = result;
    bool single = output->file.standard;
    for (size_t i = 0; !result && i < parts.count && (!single || !i); i++) {
        int one = write_part(output, profile, &parts.items[i]);
        if (one < 0) {
            set_failure(output, parts.items[i].suffix, one);
            first = first ? first : one;
        }
    }
    if (!result)
        report_parts_fini(&parts);
    if (!first)
        file_end(&output->file, false); /* a part may have no output */
    return first;
}

/* Reports if a file of FORMAT lacks the times of some samples of PROFILE. */
static void say_untimed(const struct report_format *format, const struct profile *profile)
{
    uint64_t until_ns = format->timed ? report_timed_until_ns(profile) : 0;
    if (until_ns)
        say_line(stderr,
                 "--format=%s has the times of the samples until %.3f s only, as there are too many; --between chooses "
                 "others",
                 format->name, (double)until_ns / 1e9);
}

void outputs_store(struct outputs *outputs, const struct profile *profile)
{
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->items[i];
        output->stored = output->option->format->write == stored_pprof_write;
        int result = output->stored ? output_write(output, profile, &outputs->form, false) : 0;
        if (result < 0)
            set_failure(output, "", result);
    }
}

int outputs_choose(const struct output_options *options, struct outputs *whole, struct profile *profile,
                   struct error *error)
{
    if (whole)
        outputs_store(whole, profile);
    else if (filter_check(&options->filter, profile, error) < 0)
        return -error->errnum;
    int result = options->unsampled == OUTPUT_SEPARATE ? 0 : estimate_apply(profile);
    if (!result && !whole)
        result = filter_apply(&options->filter, profile);
    return result < 0 ? error_set(error, ENOMEM, "out of memory while the profile was filtered") : 0;
}

int outputs_write(struct outputs *outputs, const struct profile *profile)
{
    int first = 0;
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->items[i];
        bool parts = output->option->format->write_module != NULL;
        if (output->stored) {
            first = first ? first : -output->failure.errnum;
            continue;
        }
        if (output->option->format->write == report_annotate_write && !outputs->annotation.shown)
            continue;
        bool screen =
            output->file.standard && isatty(output->file.fd) && output_options_for_people(output->option->format);
        struct report_options form = screen ? outputs->screen : outputs->form;
        form.overview = false; /* -o selects the rows */
        int result = parts ? write_parts(output, profile) : output_write(output, profile, &form, false);
        if (result < 0) {
            set_failure(output, "", result);
            first = first ? first : result;
        } else
            say_untimed(output->option->format, profile);
    }
    return first;
}

void outputs_complain(const struct outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->items[i].failure.errnum)
            say_line(stderr, "%s", outputs->items[i].failure.text);
}

int outputs_fold_idle(const struct output_options *options, const struct report_format *format, struct profile *profile,
                      struct error *error)
{
    bool has_budgets = options->budgets.count > 0; /* these apply to what was measured */
    if (options->idle || has_budgets || !output_options_for_people(format) || format->write == report_annotate_write)
        return 0;
    return idle_fold(profile) < 0 ? error_set(error, ENOMEM, "out of memory") : 0;
}

int outputs_show(const struct report_format *format, const struct report_options *form, const struct profile *profile,
                 FILE *stream)
{
    int result = report_write(format, profile, form, stream);
    if (!result)
        say_untimed(format, profile);
    if (result || format->write != report_tree_write)
        return result;
    return summary_write(profile, form, stream);
}

void outputs_show_page(const struct outputs *outputs)
{
    struct error error = {0};
    for (size_t i = 0; i < outputs->count && !outputs_are_of_silent_rank(outputs); i++) {
        const struct output *output = &outputs->items[i];
        if (output->option->format->write != report_html_write || output->file.standard || output->failure.errnum)
            continue;
        if (output->option->temporary) {
            say_line(stderr, "the page is '%s'", output->path);
            browser_give_page(output->path);
        }
        if (browser_show(output->path, &error) < 0)
            say_line(stderr, "%s", error.text);
        return;
    }
}

void outputs_close(struct outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++) {
        file_end(&outputs->items[i].file, true);
        if (outputs->items[i].option->temporary && outputs->items[i].path)
            browser_drop_page(outputs->items[i].path);
        free(outputs->items[i].path);
    }
    annotation_fini(&outputs->annotation);
    free(outputs->items);
    memset(outputs, 0, sizeof *outputs);
}
