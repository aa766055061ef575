/* SPDX-License-Identifier: MIT
 *
 * A job of MPI: rank r works r + 1 times as long as rank 0, in each of some rounds. All then wait in MPI_Barrier, and
 * pairs of ranks exchange 4 MiB. A test compiles it with mpicc. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, TURNS = 40000000, BIG = 4 << 20 };

__attribute__((noinline)) void work(int rank)
{
    for (volatile long i = 0; i < (long)TURNS * (rank + 1); i++)
        ;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *out = malloc(BIG), *in = malloc(BIG);
    memset(out, rank, BIG);
    for (int i = 0; i < ROUNDS; i++) {
        int other = rank ^ 1;
        work(rank);
        MPI_Barrier(MPI_COMM_WORLD);
        if (other < ranks)
            MPI_Sendrecv(out, BIG, MPI_CHAR, other, 0, in, BIG, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
