/* SPDX-License-Identifier: MIT */
#include "front/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool is_regular(int fd, struct stat *about)
{
    return fd >= 0 && fstat(fd, about) == 0 && S_ISREG(about->st_mode);
}

bool file_is_regular(const struct file *file)
{
    struct stat about;
    return is_regular(file->fd, &about);
}

/* The path of the regular file that FD is open on. NULL: it is not regular, has no name any more, or there is no memory. */
static char *place_of(int fd)
{
    char link[32], path[PATH_MAX];
    struct stat open, named;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = is_regular(fd, &open) ? readlink(link, path, sizeof path - 1) : -1;
    path[length > 0 ? length : 0] = 0;
    bool found = length > 0 && lstat(path, &named) == 0 && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
    return found ? strdup(path) : NULL;
}

int file_open(struct file *file, const char *path)
{
    *file = (struct file){.fd = -1};
    if (!strcmp(path, "-")) {
        file->standard = true;
        file->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        return file->fd < 0 ? -errno : 0;
    }
    file->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    file->created = file->fd >= 0;
    if (file->fd < 0 && errno == EEXIST)
        file->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file->fd < 0 && errno == ENOENT) { /* a link to what is not there yet; or there is no such folder */
        file->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
        file->created = file->fd >= 0;
    }
    if (file->fd < 0)
        return -errno;
    file->place = place_of(file->fd);
    return 0;
}

/* Whether a new file could stand for the old one, which FD is open on: nothing but its name leads there, and what it is
 * allowed to whom can be had again. */
static bool is_replaceable(int fd, const struct stat *about)
{
    return about->st_nlink == 1 && fgetxattr(fd, "system.posix_acl_access", NULL, 0) < 0;
}

/* Opens a file beside FILE, of the same owner and mode. Returns a descriptor, or -1 if there can be none. */
static int open_beside(struct file *file)
{
    struct stat about;
    bool wanted = file->place && !file->created && is_regular(file->fd, &about) && is_replaceable(file->fd, &about);
    if (!wanted || asprintf(&file->temporary, "%s.XXXXXX", file->place) < 0) {
        file->temporary = NULL;
        return -1;
    }
    int fd = mkostemp(file->temporary, O_CLOEXEC);
    if (fd >= 0 && fchown(fd, about.st_uid, about.st_gid) == 0 && fchmod(fd, about.st_mode & 07777) == 0)
        return fd;
    if (fd >= 0) {
        close(fd);
        unlink(file->temporary);
    }
    free(file->temporary);
    file->temporary = NULL;
    return -1;
}

FILE *file_begin(struct file *file)
{
    struct stat about;
    int fd = open_beside(file);
    if (fd >= 0)
        close(file->fd);
    else
        fd = file->fd;
    file->fd = -1;
    bool refused = !file->temporary && !file->standard && is_regular(fd, &about) &&
                   (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0);
    FILE *stream = refused ? NULL : fdopen(fd, "w");
    if (!stream) {
        int saved = errno;
        close(fd);
        if (file->temporary)
            unlink(file->temporary);
        file_end(file, false);
        errno = saved;
    }
    return stream;
}

/* Nobody is to take a part for the whole. */
static void undo(const struct file *file, FILE *stream)
{
    struct stat about;
    __fpurge(stream); /* closing it would find room now */
    if (file->temporary)
        unlink(file->temporary);
    else if (file->created && file->place)
        unlink(file->place);
    else if (!file->standard && is_regular(fileno(stream), &about) && ftruncate(fileno(stream), 0) < 0)
        return; /* what is there of it stays */
}

int file_finish(struct file *file, FILE *stream, int result)
{
    if (!result && fflush(stream) != 0)
        result = -errno;
    if (!result && file->temporary && rename(file->temporary, file->place) < 0)
        result = -errno;
    if (result < 0)
        undo(file, stream);
    if (fclose(stream) != 0 && !result)
        result = -errno;
    file_end(file, false);
    return result;
}

void file_end(struct file *file, bool abandon)
{
    if (file->fd >= 0)
        close(file->fd);
    if (abandon && file->created && file->place)
        unlink(file->place);
    free(file->place);
    free(file->temporary);
    *file = (struct file){.fd = -1};
}
