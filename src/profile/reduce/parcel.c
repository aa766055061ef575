/* SPDX-License-Identifier: MIT */
#include "profile/reduce/parcel.h"

#include "common/base/error.h"
#include "profile/profile/builder.h"
#include "profile/profile/merge.h"
#include "profile/profile/profile.h"
#include "profile/stored/import.h"
#include "profile/stored/writers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int out_of_memory(struct error *error)
{
    return error_set(error, ENOMEM, "out of memory while profiles were added up");
}

/* Reads into a builder of its own first, because damage may show only halfway through the file. */
static int read_fd(struct builder *sum, int fd, struct error *error)
{
    struct builder one;
    builder_init(&one);
    int result = import_read(&one, fd, NULL, error);
    struct profile *profile = builder_finish(&one);
    if (!result && !profile)
        result = out_of_memory(error);
    if (!result) {
        merge_profile(sum, profile);
        result = sum->failed ? out_of_memory(error) : 0;
    }
    profile_free(profile);
    return result;
}

int parcel_read(struct builder *sum, const char *path, struct error *error)
{
    struct error why = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return error_system(error, errno, "cannot read the profile '%s'", path);
    int result = read_fd(sum, fd, &why);
    close(fd);
    return result < 0 ? error_set(error, why.errnum, "'%s' %s", path, why.text) : 0;
}

int parcel_pack(struct builder *sum, char **bytes, size_t *size, struct error *error)
{
    bool empty = !sum->merged;
    struct profile *profile = builder_finish(sum);
    *bytes = NULL;
    *size = 0;
    if (!profile)
        return out_of_memory(error);
    FILE *stream = empty ? NULL : open_memstream(bytes, size);
    int result = empty ? 0 : stream ? stored_pprof_write(profile, &REPORT_OPTIONS_FULL, stream) : -ENOMEM;
    if (stream && fclose(stream) && !result)
        result = -ENOMEM;
    profile_free(profile);
    return result < 0 ? out_of_memory(error) : 0;
}

/* Writes the bytes to a file in memory, because profiles are read from files. */
static int put(int fd, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t written = write(fd, bytes + at, size - at);
        if (written <= 0)
            return written < 0 ? -errno : -EIO;
        at += (size_t)written;
    }
    return lseek(fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

int parcel_unpack(struct builder *sum, const char *bytes, size_t size, struct error *error)
{
    struct error why = {0};
    if (!size)
        return 0;
    int fd = memfd_create("parcel", MFD_CLOEXEC);
    int result = fd < 0 ? -errno : put(fd, bytes, size);
    if (result < 0)
        error_system(error, -result, "cannot keep another process's profile");
    else {
        result = read_fd(sum, fd, &why);
        if (result < 0)
            error_set(error, why.errnum, "the profile of another process %s", why.text);
    }
    if (fd >= 0)
        close(fd);
    return result;
}
