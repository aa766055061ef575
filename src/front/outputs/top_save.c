/* SPDX-License-Identifier: MIT */
#include "front/outputs/top_save.h"

#include "common/base/time.h"
#include "common/text/say.h"
#include "common/text/text.h"
#include "front/outputs/file.h"
#include "front/session/finished.h"
#include "profile/profile/estimate.h"
#include "profile/report/report.h"
#include "profile/stored/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* Runs in a process of its own, whose record no longer changes. */
static _Noreturn void write_profile(struct session *session, const struct session_since *now,
                                    const struct report_format *format, const char *path, int news)
{
    struct error error = {.errnum = ENOMEM, .text = "out of memory"};
    char text[1024];
    struct profile *profile = finished_until(session, now) < 0 ? NULL : finished_profile(session, &error);
    int result = profile && format->write != stored_pprof_write ? estimate_apply(profile) : 0;
    if (profile && !result)
        result = write_file(path, NULL, format, profile);
    if (!profile)
        snprintf(text, sizeof text, "%s", error.text);
    else if (result < 0)
        say_failed(text, sizeof text, path, result);
    else
        snprintf(text, sizeof text, "the whole profile is written to %s", path);
    _exit(write(news, text, strlen(text) + 1) < 0);
}

static void start_process(struct top_save *save, struct session *session, const struct report_format *format,
                          const char *path, char *text, size_t size)
{
    struct session_since now;
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) < 0) {
        say_failed(text, size, path, -errno);
        return;
    }
    finished_count(session, &now);
    pid_t pid = fork();
    if (pid == 0)
        write_profile(session, &now, format, path, pair[1]);
    int failed = errno;
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        say_failed(text, size, path, -failed);
        return;
    }
    save->news = pair[0];
    snprintf(text, size, "writing the whole profile to %s ...", path);
}

void top_save_begin(struct top_save *save, struct session *session, const struct layout *seen, const char *path,
                    char *text, size_t size)
{
    const struct report_format *format = report_format_by_file(path);
    if (save->news >= 0) {
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
        start_process(save, session, format, path, text, size);
    }
}

bool top_save_end(struct top_save *save, bool wait, char *text, size_t size)
{
    struct pollfd news = {.fd = save->news, .events = POLLIN};
    int got;
    if (save->news < 0)
        return false;
    do
        got = poll(&news, 1, wait ? -1 : 0);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return false;
    ssize_t length = read(save->news, text, size - 1);
    if (length > 0)
        text[length] = 0;
    else
        snprintf(text, size, "the process that was to write the file has been killed");
    close(save->news);
    save->news = -1;
    return true;
}
