/* SPDX-License-Identifier: MIT */
#include "front/outputs/top_save.h"

#include "common/base/buffer.h"
#include "common/text/text.h"
#include "front/outputs/file.h"
#include "front/session/finished.h"
#include "front/top/layout.h"
#include "profile/profile/estimate.h"
#include "profile/report/report.h"
#include "profile/stored/writers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NICENESS = 10 };

static void say_failed(char *text, size_t size, const char *path, int result)
{
    snprintf(text, size, "cannot write '%s': %s", path, strerror(-result));
}

static int write_lines(const struct layout *seen, FILE *stream)
{
    struct buffer all = {0};
    for (size_t i = 0; i < seen->count; i++) {
        const struct buffer *line = &seen->items[i].text;
        if (line->bytes)
            buffer_append(&all, line->bytes, line->length);
        buffer_puts(&all, "\n");
    }
    int result = text_write(&all, stream);
    buffer_fini(&all);
    return result;
}

/* Writes PROFILE in FORMAT, or, if FORMAT is NULL, the view SEEN, to the file PATH. Returns 0 or -errno. */
static int write_file(const char *path, const struct layout *seen, const struct report_format *format,
                      const struct profile *profile)
{
    const struct report_options form = REPORT_OPTIONS_FULL;
    struct file file = {.fd = -1};
    int result = file_open(&file, path);
    FILE *stream = result < 0 ? NULL : file_begin(&file);
    if (!stream)
        return result < 0 ? result : -errno;
    return file_finish(&file, stream,
                       profile ? report_write(format, profile, &form, stream) : write_lines(seen, stream));
}

/* Writes the whole profile, in a child. */
static void write_profile(void *of, struct error *error)
{
    const struct top_save *save = of;
    const struct report_format *format = report_format_by_file(save->path);
    struct profile *profile = finished_profile(save->session, error);
    if (!profile)
        return;
    int result = format->write != stored_pprof_write ? estimate_apply(profile) : 0;
    if (!result)
        result = write_file(save->path, NULL, format, profile);
    if (result < 0)
        error_system(error, -result, "cannot write '%s'", save->path);
}

static void start_child(struct top_save *save, struct session *session, const char *path, char *text, size_t size)
{
    save->session = session;
    save->path = strdup(path);
    int result =
        save->path ? background_start(&save->background, "pt-save", NICENESS, session, write_profile, save) : -ENOMEM;
    if (!result) {
        snprintf(text, size, "writing the whole profile to %s ...", path);
        return;
    }
    say_failed(text, size, path, result);
    free(save->path);
}

void top_save_begin(struct top_save *save, struct session *session, const struct layout *seen, const char *path,
                    char *text, size_t size)
{
    const struct report_format *format = report_format_by_file(path);
    if (save->background.news >= 0) {
        snprintf(text, size, "another file is being written: try again");
    } else if (!format) {
        snprintf(text, size, "'%s': no format has that ending (.txt, .pb.gz, .html, .folded ...)", path);
    } else if (!format->write) {
        snprintf(text, size, "'%s': %s is written by 'ptprofil -o'", path, format->name);
    } else if (format->write == report_flat_write) {
        int result = write_file(path, seen, NULL, NULL);
        if (result < 0)
            say_failed(text, size, path, result);
        else
            snprintf(text, size, "the view is written to %s", path);
    } else {
        start_child(save, session, path, text, size);
    }
}

bool top_save_end(struct top_save *save, bool wait, char *text, size_t size)
{
    struct background_report report;
    if (save->background.news < 0 || (!wait && !background_is_done(&save->background)))
        return false;
    background_take(&save->background, "the process that was to write the file has been killed", &report);
    if (report.error.errnum)
        snprintf(text, size, "%s", report.error.text);
    else
        snprintf(text, size, "the whole profile is written to %s", save->path);
    free(save->path);
    return true;
}
