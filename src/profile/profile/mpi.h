/* SPDX-License-Identifier: MIT
 *
 * Finds the MPI call of a sample. MPI libraries wait by spinning, so CPU time alone does not show which ranks wait. So
 * a sample belongs to its outermost MPI function, whatever that function calls. Names are those of the MPI standard, of
 * its profiling interface (PMPI_), and of Fortran (mpi_send_, pmpi_send__). */
#ifndef PROFILE_MPI_H
#define PROFILE_MPI_H

#include <stdbool.h>
#include <stdint.h>

struct profile;
struct profile_sample;

enum { MPI_NAME_SIZE = 64 };

enum mpi_kind {
    MPI_NOT,        /* not an MPI function */
    MPI_COLLECTIVE, /* a call of all ranks in a communicator, in which they wait for each other */
    MPI_IO,         /* MPI_File_... */
    MPI_OTHER
};

/* Puts the standard's name for the function NAME ("pmpi_send_" is "MPI_Send") into TEXT, and returns its kind. Returns
 * MPI_NOT, with TEXT unchanged, if it is not an MPI function. */
enum mpi_kind mpi_kind_of(const char *name, char text[static MPI_NAME_SIZE]);

/* Facts about the functions of a profile. */
struct mpi {
    unsigned char *kinds; /* enum mpi_kind of each function */
};

/* Looks at the functions of PROFILE. Returns 0 or -ENOMEM. Free with mpi_fini in either case. */
int mpi_init(struct mpi *mpi, const struct profile *profile);
void mpi_fini(struct mpi *mpi);

/* Returns the outermost MPI function of SAMPLE, an index of profile->functions, or PROFILE_NONE. */
uint32_t mpi_call_of(const struct mpi *mpi, const struct profile *profile, const struct profile_sample *sample);

/* Returns true if NAME is a system call that reads or writes files or pipes, or opens or syncs them. */
bool mpi_is_io_call(const char *name);

/* Returns true if SAMPLE was taken in such a system call. */
bool mpi_is_io(const struct profile_sample *sample);

#endif
