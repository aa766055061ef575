/* SPDX-License-Identifier: MIT */
#include "front/session/control.h"

#include "common/base/error.h"
#include "common/text/limit.h"
#include "programs/files/planted.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char too_long[] = "a line of more than 1023 bytes";

static int open_inherited(struct control *control, const char *text, struct error *error)
{
    uint32_t number = 0;
    int result = limit_whole("--control=fd:", text, STDERR_FILENO + 1, 1 << 20,
                             ", a descriptor that ptprofil has inherited", &number, error);
    if (result < 0)
        return result;
    int flags = fcntl((int)number, F_GETFL);
    if (flags < 0 || fcntl((int)number, F_SETFD, FD_CLOEXEC) < 0)
        return error_system(error, errno, "--control: descriptor %u is not open", number);
    if ((flags & O_ACCMODE) == O_WRONLY)
        return error_set(error, EINVAL, "--control: descriptor %u cannot be read from", number);
    control->descriptor = (int)number;
    return 0;
}

/* Opens the FIFO for reading and writing, so that it has no end when its writers close it. */
static int open_fifo(struct control *control, const char *path, struct error *error)
{
    struct stat seen;
    bool made = mkfifo(path, 0600) == 0;
    if (!made && errno != EEXIST)
        return error_system(error, errno, "--control: cannot make the FIFO '%s'", path);
    control->descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    bool planted = !made && control->descriptor >= 0 && planted_is(control->descriptor);
    if (planted || control->descriptor < 0 || fstat(control->descriptor, &seen) < 0) {
        int failed = planted ? EACCES : errno;
        if (made)
            unlink(path);
        return error_system(error, failed, "--control: cannot open '%s'", path);
    }
    if (!S_ISFIFO(seen.st_mode))
        return error_set(
            error, EINVAL,
            "--control: '%s' is not a FIFO (see mkfifo(1)); ptprofil makes one where there is no file of that name",
            path);
    control->path = made ? path : NULL;
    control->device = seen.st_dev;
    control->inode = seen.st_ino;
    return 0;
}

int control_open(struct control *control, const char *fifo, struct error *error)
{
    *control = (struct control){.descriptor = -1};
    return strncmp(fifo, "fd:", 3) ? open_fifo(control, fifo, error) : open_inherited(control, fifo + 3, error);
}

void control_close(struct control *control)
{
    struct stat seen;
    if (control->descriptor >= 0)
        close(control->descriptor);
    /* another process may have put its own file there since */
    if (control->path && lstat(control->path, &seen) == 0 && seen.st_dev == control->device &&
        seen.st_ino == control->inode)
        unlink(control->path);
    control->descriptor = -1;
    control->path = NULL;
}

static char *trimmed(char *line)
{
    char *end = line + strlen(line);
    while (end > line && isspace((unsigned char)end[-1]))
        *--end = 0;
    while (isspace((unsigned char)*line))
        line++;
    return line;
}

enum control_kind control_parse(char *line, const char **text)
{
    static const struct {
        const char *word;
        enum control_kind kind;
    } words[] = {{"on", CONTROL_ON}, {"off", CONTROL_OFF}, {"end", CONTROL_END}, {"", CONTROL_NOTHING}};
    char *word = trimmed(line);
    *text = word;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i].word))
            return words[i].kind;
    if (strncmp(word, "mark", 4) || !isspace((unsigned char)word[4]))
        return CONTROL_UNKNOWN;
    *text = trimmed(word + 4);
    return CONTROL_MARK;
}

/* Reads a byte. Returns false if none has come. Reads one byte at a time, because the text after the line is read
 * later. */
static bool read_byte(struct control *control, char *byte)
{
    struct pollfd news = {.fd = control->descriptor, .events = POLLIN};
    if (control->descriptor < 0 || poll(&news, 1, 0) <= 0)
        return false;
    ssize_t got = read(control->descriptor, byte, 1);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        close(control->descriptor);
        control->descriptor = -1;
    }
    return got == 1;
}

/* Takes the line, which is complete. */
static enum control_kind take_line(struct control *control, const char **text)
{
    control->line[control->length] = 0;
    enum control_kind kind = control_parse(control->line, text);
    if (control->too_long) {
        kind = CONTROL_UNKNOWN;
        *text = too_long;
    }
    control->length = 0;
    control->too_long = false;
    return kind;
}

bool control_next(struct control *control, enum control_kind *kind, const char **text)
{
    char byte;
    for (size_t i = 0; i < CONTROL_LONGEST && read_byte(control, &byte); i++) {
        if (byte == '\n') {
            *kind = take_line(control, text);
            return true;
        }
        if (control->length + 1 < sizeof control->line)
            control->line[control->length++] = byte ? byte : '?';
        else
            control->too_long = true;
    }
    return false;
}
