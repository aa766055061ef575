/* SPDX-License-Identifier: MIT */
#include "profile/code/source.h"

#include "common/base/buffer.h"
#include "programs/files/regular.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 32 << 20 };

void source_fini(struct source *source)
{
    free(source->text);
    free(source->lines);
    memset(source, 0, sizeof *source);
}

/* Replaces each 0 by a space, because it would end the line. */
int source_split(struct source *source, char *text, size_t length)
{
    size_t count = 1, at = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    source->text = text;
    source->lines = malloc(count * sizeof *source->lines);
    if (!source->lines) {
        source_fini(source);
        return -ENOMEM;
    }
    text[length] = 0;
    while (at < length) {
        const char *newline = memchr(text + at, '\n', length - at);
        size_t end = newline ? (size_t)(newline - text) : length;
        for (size_t i = at; i < end; i++)
            text[i] = text[i] ? text[i] : ' ';
        text[end] = 0;
        if (end > at && text[end - 1] == '\r')
            text[end - 1] = 0;
        source->lines[source->line_count++] = text + at;
        at = end + 1;
    }
    return 0;
}

static int read_from(struct source *source, int fd)
{
    struct buffer text = {0};
    struct stat about;
    int result = fstat(fd, &about) < 0 ? -errno : buffer_read_file(&text, fd, MOST_BYTES);
    if (result < 0) {
        buffer_fini(&text);
        return result;
    }
    source->changed = about.st_mtim;
    return source_split(source, text.bytes, text.length);
}

int source_read(struct source *source, const struct viewer *viewer, const char *root, const char *path)
{
    char here[PATH_MAX], whole[2 * PATH_MAX];
    if (*path != '/' && !getcwd(here, sizeof here))
        return -errno;
    int length = snprintf(whole, sizeof whole, "%s%s%s", *path == '/' ? "" : here, *path == '/' ? "" : "/", path);
    if (length < 0 || (size_t)length >= sizeof whole)
        return -ENAMETOOLONG;
    int fd = regular_open_for(viewer, *path == '/' ? root : "", whole, NULL);
    if (fd < 0)
        return fd;
    int result = read_from(source, fd);
    close(fd);
    return result;
}

const char *source_line(const struct source *source, uint32_t number)
{
    return number && number <= source->line_count ? source->lines[number - 1] : NULL;
}
