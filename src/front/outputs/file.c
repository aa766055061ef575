/* SPDX-License-Identifier: MIT */
#include "front/outputs/file.h"

#include "common/base/proc.h"
#include "front/outputs/file_replace.h"
#include "programs/files/planted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_regular(int fd, struct stat *about)
{
    return fd >= 0 && fstat(fd, about) == 0 && S_ISREG(about->st_mode);
}

bool file_is_regular(const struct file *file)
{
    struct stat about;
    return !file->standard && is_regular(file->fd, &about);
}

bool file_is_same(const struct file *one, const struct file *other)
{
    struct stat about, others;
    return !one->standard && !other->standard && is_regular(one->fd, &about) && is_regular(other->fd, &others) &&
           about.st_dev == others.st_dev && about.st_ino == others.st_ino;
}

/* Returns true if PATH, which is not a symbolic link, is the regular file that FD is open on. */
static bool is_named(int fd, const char *path)
{
    struct stat open, named;
    return is_regular(fd, &open) && lstat(path, &named) == 0 && named.st_dev == open.st_dev &&
           named.st_ino == open.st_ino;
}

/* Returns the path of the regular file that FD is open on. Returns NULL if it is not regular, if it was removed, or if
 * memory ran out. */
static char *place_of(int fd)
{
    char link[32], path[PATH_MAX];
    struct stat open;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = is_regular(fd, &open) ? readlink(link, path, sizeof path - 1) : -1;
    path[length > 0 ? length : 0] = 0;
    return length > 0 && is_named(fd, path) ? strdup(path) : NULL;
}

/* Returns true if FD was inherited from our caller (our own descriptors are close-on-exec), and is open for writing on
 * the file that ABOUT describes. */
static bool is_inherited(int fd, const struct stat *about)
{
    struct stat open;
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fcntl(fd, F_GETFD) == 0 && fstat(fd, &open) == 0 &&
           open.st_dev == about->st_dev && open.st_ino == about->st_ino;
}

/* Returns an inherited descriptor that is open for writing on the file at PATH, or -1. Anything that others write
 * there, through it or at its position, must stay. */
static int find_inherited(const char *path)
{
    struct stat about;
    if (stat(path, &about) < 0)
        return -1;
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (is_inherited(fd, &about))
            return fd;
    DIR *directory = proc_opendir("/proc/self/fd");
    const struct dirent *entry;
    int found = -1;
    while (directory && found < 0 && (entry = readdir(directory)))
        if (*entry->d_name != '.' && is_inherited(atoi(entry->d_name), &about))
            found = atoi(entry->d_name);
    if (directory)
        closedir(directory);
    return found;
}

/* Opens an existing file. Examines it first, because opening a FIFO would wait for a reader. Returns a descriptor or
 * -errno. */
static int open_existing(const char *path)
{
    char link[32];
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0)
        return -errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", place);
    int fd = planted_is(place) ? -EACCES : proc_open(link, O_WRONLY | O_NOCTTY);
    close(place);
    return fd;
}

int file_open(struct file *file, const char *path)
{
    *file = (struct file){.fd = -1};
    int inherited = strcmp(path, "-") ? find_inherited(path) : STDOUT_FILENO;
    if (inherited >= 0 && (fcntl(inherited, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return -EBADF;
    if (inherited >= 0) {
        file->standard = true;
        file->fd = fcntl(inherited, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        return file->fd < 0 ? -errno : 0;
    }
    file->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    file->created = file->fd >= 0;
    int result = file->fd < 0 ? -errno : 0;
    if (result == -EEXIST)
        result = file->fd = planted_is_link(path) ? -EACCES : open_existing(path);
    if (result == -ENOENT) { /* path is a link to a missing file, or its folder is missing */
        file->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
        file->created = file->fd >= 0;
        result = file->fd < 0 ? -errno : 0;
    }
    if (result < 0) {
        file->fd = -1;
        return result;
    }
    file->place = place_of(file->fd);
    return 0;
}

/* Creates a file again that was removed, for example by a command that cleans up its folder: nobody would find the old
 * one. If another file has its name now, uses that one. */
int file_follow(struct file *file)
{
    struct stat about;
    if (!file->place || file->standard || !is_regular(file->fd, &about) || about.st_nlink)
        return 0;
    int fd = open(file->place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    file->created = fd >= 0;
    if (fd < 0 && errno == EEXIST)
        fd = open(file->place, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (!file->created && planted_is(fd)) {
        close(fd);
        return -EACCES;
    }
    close(file->fd);
    file->fd = fd;
    return 0;
}

static void forget_temporary(struct file *file)
{
    free(file->temporary);
    file->temporary = NULL;
}

static void drop_temporary(struct file *file)
{
    if (file->temporary)
        unlink(file->temporary);
    forget_temporary(file);
}

/* Sets file->temporary to a name beside FILE that ends with ENDING. Returns false if memory runs out. */
static bool name_temporary(struct file *file, const char *ending)
{
    if (asprintf(&file->temporary, "%s.%s", file->place, ending) < 0)
        file->temporary = NULL;
    return file->temporary;
}

/* Opens a file without a name in the folder of FILE. Returns a descriptor, or -1 with errno set. */
static int open_unnamed(const struct file *file)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", file->place);
    *strrchr(folder, '/') = 0;
    return open(*folder ? folder : "/", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

/* Opens a new file that may replace FILE, with the same owner, mode and attributes. UNNAMED: without a name, if
 * possible: then nothing remains of it if we are killed. Returns a descriptor, or -1 with errno set. */
static int open_beside(struct file *file, bool unnamed)
{
    struct stat about;
    errno = ENOTSUP;
    if (!file->place || !is_regular(file->fd, &about) || !file_is_replaceable(file->fd, &about))
        return -1;
    int fd = unnamed ? open_unnamed(file) : -1;
    if (fd < 0 && (!unnamed || errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
        if (!name_temporary(file, "XXXXXX"))
            return -1;
        fd = mkostemp(file->temporary, O_CLOEXEC);
        if (fd < 0)
            forget_temporary(file);
    }
    if (fd < 0 || file_make_like(fd, file->fd, &about))
        return fd;
    close(fd);
    drop_temporary(file);
    errno = ENOTSUP;
    return -1;
}

/* Makes the regular file that FD is open on empty. */
static int empty(int fd)
{
    return ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

/* Returns a stream for FD. If that fails, closes it, and drops the new file that it may be open on. */
static FILE *stream_of(struct file *file, int fd)
{
    FILE *stream = fdopen(fd, "w");
    if (stream)
        return stream;
    int failed = errno;
    close(fd);
    drop_temporary(file);
    errno = failed;
    return NULL;
}

/* Returns a stream for FILE itself, which it makes empty. */
static FILE *begin_in_place(struct file *file)
{
    struct stat about;
    int fd = file->fd, result = !file->standard && is_regular(fd, &about) ? empty(fd) : 0;
    errno = -result;
    if (result < 0)
        return NULL;
    file->fd = -1;
    return stream_of(file, fd);
}

FILE *file_begin(struct file *file)
{
    int lost = file_follow(file), fd = lost || file->created || file->standard ? -1 : open_beside(file, false);
    errno = -lost;
    FILE *stream = lost ? NULL : fd < 0 ? begin_in_place(file) : stream_of(file, fd);
    if (!stream) {
        int failed = errno;
        file_end(file, false);
        errno = failed;
    }
    return stream;
}

bool file_has_versions(const struct file *file)
{
    struct stat about;
    return file->place && !file->standard && is_named(file->fd, file->place) && fstat(file->fd, &about) == 0 &&
           file_is_replaceable(file->fd, &about);
}

FILE *file_begin_version(struct file *file)
{
    errno = ENOTSUP;
    int fd = file_has_versions(file) ? open_beside(file, true) : -1;
    return fd < 0 ? NULL : stream_of(file, fd);
}

/* Gives the unnamed file of STREAM a name in the folder of FILE. Returns 0 or -errno. */
static int give_name(struct file *file, FILE *stream)
{
    char from[32], ending[2 * sizeof(unsigned long) + 1];
    unsigned long random;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = (unsigned long)getpid();
    snprintf(from, sizeof from, "/proc/self/fd/%d", fileno(stream));
    snprintf(ending, sizeof ending, "%lx", random);
    if (!name_temporary(file, ending))
        return -ENOMEM;
    int result = linkat(AT_FDCWD, from, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
    if (result < 0)
        forget_temporary(file);
    else if (!is_named(fileno(stream), file->temporary)) { /* the path did not lead through our own /proc */
        drop_temporary(file);
        result = -EIO;
    }
    return result;
}

int file_finish_version(struct file *file, FILE *stream, int result)
{
    if (!result && fflush(stream) != 0)
        result = -errno;
    if (!result && !file->temporary)
        result = give_name(file, stream);
    if (!result && rename(file->temporary, file->place) < 0)
        result = -errno;
    if (result < 0) {
        __fpurge(stream); /* discard it, because closing would write it if there is room now */
        drop_temporary(file);
    }
    fclose(stream);
    forget_temporary(file);
    return result;
}

/* Copies the content of FROM to TO, a regular file. Returns 0 or -errno. */
static int copy(int from, int to)
{
    struct stat about;
    off_t done = 0;
    int result = fstat(from, &about) < 0 ? -errno : empty(to);
    while (!result && done < about.st_size) {
        ssize_t length = sendfile(to, from, &done, (size_t)(about.st_size - done));
        if (length == 0 || (length < 0 && errno != EINTR))
            result = length ? -errno : -EIO;
    }
    return result;
}

/* Replaces the file at PLACE by the file that STREAM wrote beside it. If that is impossible, because something was
 * mounted on it since, copies the content. Returns 0 or -errno. */
static int take_place(const struct file *file, FILE *stream)
{
    if (rename(file->temporary, file->place) == 0)
        return 0;
    int result = copy(fileno(stream), file->fd);
    if (result < 0 && ftruncate(file->fd, 0) < 0)
        return result; /* the written part stays */
    if (!result)
        unlink(file->temporary);
    return result;
}

/* Removes an incomplete result, which might be mistaken for a whole one. */
static void undo(const struct file *file, FILE *stream)
{
    struct stat about;
    __fpurge(stream); /* discard it, because closing would write it if there is room now */
    if (file->temporary)
        unlink(file->temporary);
    else if (file->created && file->place)
        unlink(file->place);
    else if (!file->standard && is_regular(fileno(stream), &about) && ftruncate(fileno(stream), 0) < 0)
        return; /* the written part stays */
}

int file_finish(struct file *file, FILE *stream, int result)
{
    if (!result && fflush(stream) != 0)
        result = -errno;
    if (!result && file->temporary)
        result = take_place(file, stream);
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
