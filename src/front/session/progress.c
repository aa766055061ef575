/* SPDX-License-Identifier: MIT */
#include "front/session/progress.h"

#include "common/base/time.h"
#include "common/text/say.h"
#include "common/text/text.h"
#include "front/record/record.h"
#include "front/session/options.h"
#include "profile/profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { INTERVAL_NS = 1000000000, NAMES_NS = 100000000, NS_IN_MS = 1000000, DEFAULT_WIDTH = 80, LONGEST = 120 };

static const char erase[] = "\r\033[K";

void progress_begin(struct progress *progress, const struct session_options *options)
{
    const char *term = getenv("TERM");
    *progress = (struct progress){.began_ns = time_now_ns(), .duration_ns = options->duration_ns};
    progress->next_ns = progress->began_ns + INTERVAL_NS;
    progress->wanted = !options->quiet && isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

int progress_wait_ms(const struct progress *progress)
{
    uint64_t now_ns = time_now_ns();
    if (!progress->wanted)
        return -1;
    return now_ns >= progress->next_ns ? 0 : (int)((progress->next_ns - now_ns) / NS_IN_MS) + 1;
}

void progress_line(char *text, size_t width, uint64_t elapsed_ns, uint64_t duration_ns, uint64_t samples,
                   uint64_t cpu_ns)
{
    char left[40] = "";
    if (duration_ns > elapsed_ns)
        snprintf(left, sizeof left, ", %lu s left",
                 (unsigned long)((duration_ns - elapsed_ns + INTERVAL_NS / 2) / INTERVAL_NS));
    snprintf(text, width + 1, "%lu s: %lu samples, %.1f s of CPU time%s", (unsigned long)(elapsed_ns / INTERVAL_NS),
             (unsigned long)samples, (double)cpu_ns / 1e9, left);
}

/* Returns the width of the terminal minus the last column, where some terminals begin a new line. */
static size_t width_of(int fd)
{
    struct winsize size;
    size_t width = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : DEFAULT_WIDTH;
    return width > LONGEST ? LONGEST : width - 1;
}

/* Returns true if we are in the foreground of the terminal. */
static bool is_ours(int fd)
{
    return tcgetpgrp(fd) == getpgrp();
}

void progress_show(struct progress *progress, uint64_t samples, const struct record *record)
{
    char line[LONGEST + 1];
    uint64_t now_ns = time_now_ns(), cpu_ns = 0;
    if (!progress->wanted || now_ns < progress->next_ns)
        return;
    progress->next_ns += (now_ns - progress->next_ns) / INTERVAL_NS * INTERVAL_NS + INTERVAL_NS;
    if (!is_ours(STDERR_FILENO))
        return;
    for (size_t i = 0; i < record->images.count; i++)
        cpu_ns += record->images.items[i].sampled_ns;
    progress_line(line, width_of(STDERR_FILENO), now_ns - progress->began_ns, progress->duration_ns, samples, cpu_ns);
    say_own(stderr, erase);
    say_own(stderr, line);
    progress->shown = true;
}

void progress_names_line(struct buffer *text, size_t width, const char *path, size_t done, size_t count, bool utf8)
{
    struct buffer line = {0};
    buffer_printf(&line, "reading names, %zu of %zu places: ", done, count);
    text_clean(&line, *path ? profile_module_name(path) : PROFILE_NAME_UNKNOWN, utf8);
    text_cut(text, line.bytes ? line.bytes : "", (unsigned)width, 0, utf8);
    text->failed |= line.failed;
    buffer_fini(&line);
}

void progress_names(struct progress *progress, const char *path, size_t done, size_t count)
{
    struct buffer line = {0};
    uint64_t now_ns = time_now_ns();
    bool due = !progress->shown || now_ns >= progress->next_ns;
    if (!progress->wanted || !due || !is_ours(STDERR_FILENO))
        return;
    progress->next_ns = now_ns + NAMES_NS;
    progress_names_line(&line, width_of(STDERR_FILENO), path, done, count, say_utf8());
    say_own(stderr, erase);
    say_own(stderr, line.failed ? "" : line.bytes);
    progress->shown = true;
    buffer_fini(&line);
}

void progress_end(struct progress *progress)
{
    if (progress->shown && is_ours(STDERR_FILENO))
        say_own(stderr, erase);
    progress->shown = progress->wanted = false;
}
