/* SPDX-License-Identifier: MIT */
#include "front/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_open(const char *path, bool *created)
{
    *created = false;
    if (!strcmp(path, "-"))
        return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *created = fd >= 0;
    return fd >= 0 || errno != EEXIST ? fd : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

bool file_is_regular(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

FILE *file_stream(int fd)
{
    if (fd >= 0 && file_is_regular(fd) && (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
        int saved = errno;
        close(fd);
        errno = saved;
        return NULL;
    }
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "w");
    if (!stream && fd >= 0)
        close(fd);
    return stream;
}

int file_finish(FILE *stream, int result)
{
    if (fclose(stream) != 0 && !result)
        result = -errno;
    return result;
}
