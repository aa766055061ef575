/* SPDX-License-Identifier: MIT */
#include "profile/profile/mpi.h"

#include "profile/profile/label.h"
#include "profile/profile/profile.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the part of NAME after MPI_, or NULL. Sets *FORTRAN if it is written as Fortran compilers do. */
static const char *stem_of(const char *name, bool *fortran)
{
    const char *c = name + (*name == 'P'), *f = name + (*name == 'p');
    *fortran = !strncmp(f, "mpi_", 4) && islower((unsigned char)f[4]) && name[strlen(name) - 1] == '_';
    if (*fortran)
        return f + 4;
    return !strncmp(c, "MPI_", 4) && isupper((unsigned char)c[4]) ? c + 4 : NULL;
}

static bool begins_with(const char *stem, const char *word)
{
    return !strncasecmp(stem, word, strlen(word));
}

/* A collective call may only be started ("Ibarrier") and waited for in another call. Such a start does not count as
 * collective. */
static enum mpi_kind kind_of_stem(const char *stem)
{
    static const char *const collectives[] = {
        "Barrier", "Bcast",  "Gather",       "Scatter",    "Allgather", "Alltoall",    "Allreduce", "Reduce",
        "Scan",    "Exscan", "Neighbor_all", "Comm_split", "Comm_dup",  "Comm_create", "Finalize",  "Win_fence"};
    if (begins_with(stem, "File_"))
        return MPI_IO;
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (begins_with(stem, collectives[i]) && !begins_with(stem, "Reduce_local"))
            return MPI_COLLECTIVE;
    return MPI_OTHER;
}

enum mpi_kind mpi_kind_of(const char *name, char text[static MPI_NAME_SIZE])
{
    bool fortran;
    const char *stem = stem_of(name, &fortran);
    size_t length = stem ? strspn(stem, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") : 0;
    if (!length || stem[length] || length > MPI_NAME_SIZE - 5)
        return MPI_NOT;
    while (fortran && length && stem[length - 1] == '_')
        length--;
    snprintf(text, MPI_NAME_SIZE, "MPI_%.*s", (int)length, stem);
    text[4] = (char)toupper((unsigned char)text[4]);
    return kind_of_stem(text + 4);
}

int mpi_init(struct mpi *mpi, const struct profile *profile)
{
    char text[MPI_NAME_SIZE];
    mpi->kinds = calloc(profile->function_count + 1, sizeof *mpi->kinds);
    for (size_t i = 0; mpi->kinds && i < profile->function_count; i++)
        mpi->kinds[i] = (unsigned char)mpi_kind_of(profile->functions[i].name, text);
    return mpi->kinds ? 0 : -ENOMEM;
}

void mpi_fini(struct mpi *mpi)
{
    free(mpi->kinds);
    mpi->kinds = NULL;
}

uint32_t mpi_call_of(const struct mpi *mpi, const struct profile *profile, const struct profile_sample *sample)
{
    for (uint32_t i = sample->frame_count; i-- > 0;) {
        uint32_t function = profile->locations[profile->frames[sample->frame_first + i]].function;
        if (mpi->kinds[function] != MPI_NOT)
            return function;
    }
    return PROFILE_NONE;
}

bool mpi_is_io_call(const char *name)
{
    static const char *const calls[] = {
        "read",    "write",           "readv",     "writev",    "pread64",   "pwrite64",        "preadv",
        "pwritev", "openat",          "open",      "fsync",     "fdatasync", "sync_file_range", "sendfile",
        "splice",  "copy_file_range", "fallocate", "ftruncate", "unlink",    "rename"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(name, calls[i]))
            return true;
    return false;
}

bool mpi_is_io(const struct profile_sample *sample)
{
    const char *name = label_in_syscall(sample) ? profile_syscall_name(sample->syscall) : NULL;
    return name && mpi_is_io_call(name);
}
